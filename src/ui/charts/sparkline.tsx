import { memo } from "react";

interface SparklineProps {
  readonly values: readonly (number | null)[];
  /** Index of the value that is looked at; null for the newest. */
  readonly mark: number | null;
  /** A threshold, drawn where it lies within the strip. */
  readonly limit: number | null;
}

const WIDTH = 64;
const HEIGHT = 20;

/** The shape of one number over the updates; its value stands beside it. */
export const Sparkline = memo(function Sparkline({ values, mark, limit }: SparklineProps) {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  const at = mark === null ? known.at(-1) : (known.findLast(({ index }) => index <= mark) ?? known[0]);
  if (at === undefined) return <svg className="spark" aria-hidden="true" />;
  const low = Math.min(...known.map(({ value }) => value));
  const high = Math.max(...known.map(({ value }) => value));
  const x = (index: number): number => (values.length < 2 ? WIDTH - 4 : 2 + (index / (values.length - 1)) * (WIDTH - 6));
  const y = (value: number): number => (high === low ? HEIGHT / 2 : HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4));
  const path = known.map(({ index, value }, position) => `${position === 0 ? "M" : "L"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {limit !== null && low < limit && limit < high && <line className="spark-limit" x2={WIDTH} y1={y(limit)} y2={y(limit)} />}
      <path className="line" d={path} />
      {mark !== null && <line className="spark-mark" x1={x(at.index)} x2={x(at.index)} y2={HEIGHT} />}
      <circle className={mark === null ? "spark-end" : "spark-end is-open"} cx={x(at.index)} cy={y(at.value)} r="2" />
    </svg>
  );
});
