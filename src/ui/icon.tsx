import { memo } from "react";

const ICONS = {
  ask: ["M2.5 3h11v8H7l-3 2.5V11H2.5z", "M6.7 5.8c.2-.9 2.6-1 2.6.3 0 .9-1.3.9-1.3 1.6M8 9v.1"],
  lookup: ["M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z", "m10.5 10.5 3 3"],
  check: ["M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5V5M10.5 2.5V5"],
  refund: ["M5.5 2.5 2.5 5.5l3 3", "M2.5 5.5H9a4 4 0 0 1 0 8H5"],
  deny: ["M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z", "m4.2 11.8 7.6-7.6"],
  confirm: ["m2.5 8.5 3.5 4 7.5-9"],
  close: ["m4 4 8 8m0-8-8 8"],
  reply: ["M2.5 3h11v8H7l-3 2.5V11H2.5z"],
  warning: ["M8 2.5 14 13.5H2z", "M8 6.5v3.5M8 11.7v.1"],
  info: ["M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z", "M8 7.5v3.5M8 5.2v.1"],
  tool: ["M3 3h10v10H3z", "M5.5 6.5h5M5.5 9.5h3"],
  step: ["m5 3 5 5-5 5M12.5 3v10"],
  reset: ["M3 3.5v3.5h3.5", "M3.2 7a5.2 5.2 0 1 1-.1 2.5"],
  dice: ["M4.5 2.5h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2z", "M5.5 5.5v.1M10.5 10.5v.1M8 8v.1"],
  left: ["m10 3-5 5 5 5"],
  right: ["m6 3 5 5-5 5"],
  up: ["m3 10 5-5 5 5"],
  down: ["m3 6 5 5 5-5"],
  table: ["M3.5 3h9a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z", "M2.5 6.5h11M7 6.5V13"],
  dots: ["M3.5 3.5h2.5v2.5H3.5z", "M10 3.5h2.5v2.5H10z", "M3.5 10h2.5v2.5H3.5z", "M10 10h2.5v2.5H10z"],
  moon: ["M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z"],
  sun: ["M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z", "M8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1"],
  system: ["M3 3h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z", "M5.5 13.5h5M8 11v2.5"],
  help: ["M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z", "M6.4 6.5c.2-1.6 3.2-1.6 3.2.1C9.6 7.7 8 7.7 8 9M8 11v.1"],
  link: ["M7 9.5a2.8 2.8 0 0 0 4 0l2-2a2.83 2.83 0 0 0-4-4l-1 1", "M9 6.5a2.8 2.8 0 0 0-4 0l-2 2a2.83 2.83 0 0 0 4 4l1-1"],
  keyboard: ["M2.5 4h11a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z", "M4 6.5v.1M6.7 6.5v.1M9.3 6.5v.1M12 6.5v.1M5 9.5h6"],
  fork: ["M4.5 3v10M4.5 8.5c5 0 5-1 5-4.5", "M7.5 5.5 9.5 3.5l2 2"],
  lock: ["M4.5 7h7a1 1 0 0 1 1 1v4.5a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z", "M5.5 7V5a2.5 2.5 0 0 1 5 0v2"],
  weights: ["M8 2.5 14 5.5 8 8.5 2 5.5z", "m2 8 6 3 6-3", "m2 10.5 6 3 6-3"],
  credit: ["M8 2v12", "M8 4h5M8 8H4M8 12h3"],
  why: ["M3 2.5h10v11H3z", "M5.5 6h5M5.5 9h3"],
  pin: ["M5.5 2.5h5l-.5 5 2 2.5H4l2-2.5z", "M8 10v4"],
  curves: ["M2.5 2.5v11h11", "M4.5 11c3-.5 3-6 8.5-7"],
  recipe: ["M3 4.5h1.5M7.5 4.5H13M3 11.5h5.5M11.5 11.5H13", "M6 3a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM10 10a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z"],
} as const satisfies Record<string, readonly string[]>;

export type IconName = keyof typeof ICONS;

/** Decoration: what it says stands beside it in words or in a label. */
export const Icon = memo(function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      {ICONS[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
});

export const PlayIcon = () => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M5 3v10l8-5z" fill="currentColor" />
  </svg>
);

export const PauseIcon = () => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M5 3v10M11 3v10" strokeWidth="3" strokeLinecap="butt" />
  </svg>
);

export const Logo = () => (
  <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor">
    <path d="M12 1.5 22.5 12 12 22.5 1.5 12z" strokeWidth="1.75" strokeLinejoin="round" />
    <path d="M12 6.5v11M12 9h5M12 15H8.5" strokeWidth="2" />
  </svg>
);

/** The patterns of negative bars and of the gap between two curves; drawn once, referred to by the styles. */
export const Hatch = () => (
  <svg className="hidden-svg" aria-hidden="true">
    <defs>
      <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="4" height="4" className="hatch-ground" />
        <path d="M1 0v4" className="hatch-line" />
      </pattern>
      <pattern id="gain" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <path d="M0.5 0v5" className="gain-line" />
      </pattern>
    </defs>
  </svg>
);
