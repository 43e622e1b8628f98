import { letterOf } from "#store/compare/entry.ts";
import { styleOf } from "./run-styles.ts";

/** A piece of a run's line. */
export const RunSwatch = ({ entry }: { readonly entry: number }) => {
  const { color, dash } = styleOf(entry);
  return (
    <svg className="run-swatch" width="28" height="8" viewBox="0 0 28 8" aria-hidden="true">
      <path d="M1 4H27" fill="none" stroke={color} strokeWidth="2.5" strokeDasharray={dash} />
    </svg>
  );
};

/** A run's letter with a piece of its line. */
export const RunKey = ({ entry }: { readonly entry: number }) => (
  <span className="run-key">
    <b>{letterOf(entry)}</b>
    <RunSwatch entry={entry} />
  </span>
);
