import { memo } from "react";

interface SparklineProps {
  readonly values: readonly (number | null)[];
}

const WIDTH = 48;
const HEIGHT = 20;

/** The shape of one number over the updates; its value stands beside it. */
export const Sparkline = memo(function Sparkline({ values }: SparklineProps) {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  const last = known.at(-1);
  if (last === undefined) return <svg className="spark" aria-hidden="true" />;
  const low = Math.min(...known.map(({ value }) => value));
  const high = Math.max(...known.map(({ value }) => value));
  const x = (index: number): number => (values.length < 2 ? WIDTH - 4 : (index / (values.length - 1)) * (WIDTH - 4));
  const y = (value: number): number => (high === low ? HEIGHT / 2 : HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4));
  const path = known.map(({ index, value }, at) => `${at === 0 ? "M" : "L"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className="line" d={path} />
      <circle className="spark-end" cx={x(last.index)} cy={y(last.value)} r="2" />
    </svg>
  );
});
