import { memo } from "react";
import type { TurnTruth } from "#run/assessment.ts";
import { isDecided, isNoSkill } from "#run/skill-sign.ts";
import { signed, signOf, type Sign } from "../format.ts";

/** What a mark says: a sign, or that the interval crosses zero. */
type Mark = Sign | "unsure";

const GLYPHS: Readonly<Record<Mark, string>> = {
  positive: "M4 .5 8 7.5H0z", negative: "M4 7.5 0 .5h8z", zero: "M4 1a3 3 0 1 0 0 6 3 3 0 0 0 0-6z", unsure: "M4 .5 7.5 4 4 7.5.5 4z",
};
const CLASSES: Readonly<Record<Mark, string>> = { positive: "pos", negative: "neg", zero: "zero", unsure: "zero" };

/** Least length of a bar, in percent of the strip: a small credit is still seen. */
const LEAST = 3;
/** A whisker shorter than this, in percent, would be hidden by the end of its bar. */
const LEAST_WHISKER = 1.5;

const SignGlyph = ({ mark }: { readonly mark: Mark }) => (
  <svg className={`g ${CLASSES[mark]}`} viewBox="0 0 8 8" aria-hidden="true">
    <path d={GLYPHS[mark]} />
  </svg>
);

/** Percent of the strip that a drawn value takes, from the middle. */
const lengthOf = (value: number, limit: number): number => Math.min(1, Math.abs(value) / limit) * 49;

const shown = (percent: number): string => `${Number(percent.toFixed(2))}%`;

interface BarProps {
  /** As drawn: times its scheme's factor. */
  readonly value: number;
  /** Drawn value that fills half of the strip. */
  readonly limit: number;
}

/** Sign by place (up and right, down and left) and by fill (solid, hatched). */
function Bar({ value, limit }: BarProps) {
  const sign = signOf(value);
  const length = Math.max(LEAST, lengthOf(value, limit));
  if (sign === "zero") return <circle className="zero" cx="50%" cy="50%" r="2.5" />;
  return sign === "positive" ? (
    <rect className="pos" x="50%" y="10%" width={shown(length)} height="40%" />
  ) : (
    <rect className="neg" x={shown(50 - length)} y="52%" width={shown(length)} height="38%" />
  );
}

/** What environment and customer did: an outline behind the solid bar, open at its end where it goes on beyond the strip. */
function Luck({ value, limit }: BarProps) {
  const length = lengthOf(value, limit);
  if (length < 0.5) return null;
  const isUp = value > 0;
  const end = shown(isUp ? 50 + length : 50 - length);
  const edge = isUp ? "6%" : "94%";
  return (
    <g className={isUp ? "luck is-up" : "luck is-down"}>
      <line x1="50%" x2={end} y1={edge} y2={edge} />
      <line x1="50%" x2={end} y1="50%" y2="50%" />
      {Math.abs(value) <= limit && <line x1={end} x2={end} y1={edge} y2="50%" />}
    </g>
  );
}

interface WhiskerProps extends BarProps {
  readonly halfWidth: number;
  /** Percent from the top. */
  readonly y: number;
}

function Whisker({ value, halfWidth, limit, y }: WhiskerProps) {
  if ((halfWidth / limit) * 49 < LEAST_WHISKER) return null;
  const [low, high] = [value - halfWidth, value + halfWidth].map((end) => shown(50 + Math.sign(end) * lengthOf(end, limit))) as [string, string];
  return (
    <g className="whisker">
      <line x1={low} x2={high} y1={`${y}%`} y2={`${y}%`} />
      {[low, high].map((x) => (
        <line key={x} x1={x} x2={x} y1={`${y - 16}%`} y2={`${y + 16}%`} />
      ))}
    </g>
  );
}

const Axis = () => (
  <>
    <line className="axis" x1="0" x2="100%" y1="50%" y2="50%" />
    <line className="origin" x1="50%" x2="50%" y1="0" y2="100%" />
  </>
);

interface CreditStripProps {
  readonly credit: number;
  /** Of its scheme, on this board: drawn is credit times factor, the number stays as it is. */
  readonly factor: number;
  readonly limit: number;
  /** Paid against a skill that is certain. */
  readonly isWrong?: boolean;
  readonly digits?: number;
}

/** Bar, glyph and number of one credit. */
export const CreditStrip = memo(function CreditStrip({ credit, factor, limit, isWrong = false, digits = 2 }: CreditStripProps) {
  return (
    <div className={isWrong ? "strip is-wrong" : "strip"}>
      <svg className="bar" aria-hidden="true">
        <Axis />
        <Bar value={credit * factor} limit={limit} />
      </svg>
      <span className="strip-num">
        <SignGlyph mark={signOf(credit)} />
        <b>{signed(credit, digits)}</b>
      </span>
    </div>
  );
});

interface SkillStripProps {
  readonly truth: TurnTruth;
  readonly limit: number;
  readonly digits?: number;
}

/** Skill solid, luck outlined behind it, the interval as a whisker; where that crosses zero only the interval is drawn, with no sign. */
export const SkillStrip = memo(function SkillStrip({ truth, limit, digits = 2 }: SkillStripProps) {
  const { skill, luck, halfWidth } = truth;
  const sign = signOf(skill);
  const isNothing = isNoSkill(truth);
  const mark: Mark = isNothing ? "zero" : isDecided(truth) ? sign : "unsure";
  return (
    <div className="strip is-truth">
      <svg className="bar" aria-hidden="true">
        <Axis />
        <Luck value={luck} limit={limit} />
        {mark === "unsure" ? (
          <svg className="unsure" x={shown(50 + Math.sign(skill) * lengthOf(skill, limit))} y="50%">
            <path d="M0-3.5 3.5 0 0 3.5-3.5 0z" />
          </svg>
        ) : (
          <Bar value={isNothing ? 0 : skill} limit={limit} />
        )}
        <Whisker value={skill} halfWidth={halfWidth} limit={limit} y={mark === "positive" ? 30 : mark === "negative" ? 70 : 50} />
      </svg>
      <span className="strip-num">
        <SignGlyph mark={mark} />
        <b>{signed(isNothing && digits === 2 ? 0 : skill, digits)}</b>
      </span>
    </div>
  );
});

/** Where a number is not known, or not yet. */
export const NoStrip = ({ note = "–" }: { readonly note?: string }) => (
  <div className="strip is-none">
    <svg className="bar" aria-hidden="true">
      <Axis />
    </svg>
    <span className="strip-num">
      <b>{note}</b>
    </span>
  </div>
);

const KEYS: readonly { readonly mark: Mark; readonly word: string }[] = [
  { mark: "positive", word: "helped" },
  { mark: "negative", word: "hurt" },
  { mark: "unsure", word: "unsure" },
];

/** Glyph, fill and word of each sign. */
export const CreditLegend = ({ hasTruth }: { readonly hasTruth: boolean }) => (
  <>
    {KEYS.filter(({ mark }) => hasTruth || mark !== "unsure").map(({ mark, word }) => (
      <span className="key" key={mark}>
        <SignGlyph mark={mark} />
        {(mark === "positive" || mark === "negative") && (
          <svg className="key-bar" aria-hidden="true">
            <rect className={CLASSES[mark]} x="0.5" y="0.5" width="13" height="7" />
          </svg>
        )}
        {word}
      </span>
    ))}
    {hasTruth && (
      <>
        <span className="key">
          <svg className="key-bar" aria-hidden="true">
            <g className="luck is-up">
              <rect x="0.5" y="0.5" width="13" height="7" />
            </g>
          </svg>
          luck
        </span>
        <span className="key">
          <Neq />
          differs
        </span>
      </>
    )}
  </>
);

/** The loudest mark on the board: nothing else is a filled disc. */
export const Neq = () => (
  <span className="neq" aria-hidden="true">
    ≠
  </span>
);
