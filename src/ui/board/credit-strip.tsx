import { memo } from "react";
import { signed, signOf, type Sign } from "../format.ts";

const GLYPHS: Readonly<Record<Sign, string>> = { positive: "M4 .5 8 7.5H0z", negative: "M4 7.5 0 .5h8z", zero: "M4 1a3 3 0 1 0 0 6 3 3 0 0 0 0-6z" };
const CLASSES: Readonly<Record<Sign, string>> = { positive: "pos", negative: "neg", zero: "zero" };

/** Least length of a bar, in percent of the strip: a small credit is still seen. */
const LEAST = 3;

const SignGlyph = ({ sign }: { readonly sign: Sign }) => (
  <svg className={`g ${CLASSES[sign]}`} viewBox="0 0 8 8" aria-hidden="true">
    <path d={GLYPHS[sign]} />
  </svg>
);

interface CreditBarProps {
  readonly credit: number;
  /** Credit that fills half of the strip. */
  readonly scale: number;
}

/** Sign by place (up and right, down and left) and by fill (solid, hatched). */
function CreditBar({ credit, scale }: CreditBarProps) {
  const sign = signOf(credit);
  const length = Math.max(LEAST, Math.min(1, Math.abs(credit) / scale) * 49);
  return (
    <svg className="bar" aria-hidden="true">
      <line className="axis" x1="0" x2="100%" y1="50%" y2="50%" />
      <line className="origin" x1="50%" x2="50%" y1="0" y2="100%" />
      {sign === "positive" && <rect className="pos" x="50%" y="1" width={`${length}%`} height="6" />}
      {sign === "negative" && <rect className="neg" x={`${50 - length}%`} y="7.5" width={`${length}%`} height="5.5" />}
      {sign === "zero" && <circle className="zero" cx="50%" cy="50%" r="2.5" />}
    </svg>
  );
}

/** Bar, glyph and number of one credit. */
export const CreditStrip = memo(function CreditStrip({ credit, scale }: CreditBarProps) {
  return (
    <div className="strip">
      <CreditBar credit={credit} scale={scale} />
      <span className="strip-num">
        <SignGlyph sign={signOf(credit)} />
        <b>{signed(credit)}</b>
      </span>
    </div>
  );
});

const KEYS: readonly { readonly sign: Sign; readonly word: string }[] = [
  { sign: "positive", word: "helped" },
  { sign: "negative", word: "hurt" },
  { sign: "zero", word: "no credit" },
];

/** Glyph, fill and word of each sign. */
export const CreditLegend = () => (
  <>
    {KEYS.map(({ sign, word }) => (
      <span className="key" key={sign}>
        <SignGlyph sign={sign} />
        {sign !== "zero" && (
          <svg className="key-bar" aria-hidden="true">
            <rect className={CLASSES[sign]} x="0.5" y="0.5" width="17" height="7" />
          </svg>
        )}
        {word}
      </span>
    ))}
  </>
);
