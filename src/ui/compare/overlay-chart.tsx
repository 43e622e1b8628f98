import { memo } from "react";
import { Area, CartesianGrid, ComposedChart, Line, XAxis, YAxis } from "recharts";
import { spread, type CurveRow, type LineEnd } from "#store/compare/curves.ts";
import { letterOf } from "#store/compare/entry.ts";
import { HALVES, MARGIN, tick } from "../charts/axes.ts";
import { stillLine } from "../charts/still-line.tsx";
import { fixed } from "../format.ts";
import type { Size } from "../hooks/use-size.ts";
import { styleOf } from "./run-styles.ts";

const Y_AXIS = 26;
const X_AXIS = 20;
/** Room for the labels at the line ends. */
const LABELS = 66;
const LABEL_HEIGHT = 15;
const TOP = MARGIN.top;

export interface OverlayChartProps {
  readonly size: Size;
  readonly rows: readonly CurveRow[];
  /** Where lines are labelled: an entry that is not among them has no number to tell. */
  readonly ends: readonly LineEnd[];
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

const drawn = { type: "linear", connectNulls: true, dot: false, activeDot: false, isAnimationActive: false } as const;

/** Lines of up to four entries, each labelled at its end; of several seeds the mean, every member faintly, and a ribbon from lowest to highest. */
export default memo(function OverlayChart({ size, rows, ends, domain, ticks }: OverlayChartProps) {
  const [first] = rows;
  const entries = (first?.means ?? []).map((_, entry) => ({ entry, seeds: first?.members[entry]?.length ?? 1 }));
  const sweeps = entries.filter(({ seeds }) => seeds > 1);
  return (
    <ComposedChart width={size.width} height={size.height} data={[...rows]} margin={{ ...MARGIN, right: LABELS }} accessibilityLayer={false}>
      <CartesianGrid vertical={false} stroke="var(--hairline)" />
      <XAxis dataKey="x" type="number" domain={[...domain]} ticks={[...ticks]} height={X_AXIS} {...tick} />
      <YAxis type="number" domain={[0, 1]} ticks={HALVES} width={Y_AXIS} {...tick} />
      {sweeps.map(({ entry }) => (
        <Area key={`range-${entry}`} {...drawn} dataKey={({ ranges }: CurveRow) => ranges[entry] ?? null} stroke="none" fill={styleOf(entry).color} fillOpacity={0.14} />
      ))}
      {sweeps.flatMap(({ entry, seeds }) =>
        Array.from({ length: seeds }, (_, seed) => (
          <Line key={`member-${entry}-${seed}`} {...drawn} shape={stillLine} dataKey={({ members }: CurveRow) => members[entry]?.[seed] ?? null} stroke={styleOf(entry).color} strokeOpacity={0.35} strokeWidth={1} />
        )),
      )}
      {entries.map(({ entry }) => (
        <Line key={`line-${entry}`} {...drawn} shape={stillLine} dataKey={({ means }: CurveRow) => means[entry] ?? null} stroke={styleOf(entry).color} strokeWidth={2} strokeDasharray={styleOf(entry).dash} />
      ))}
      <EndLabels size={size} ends={ends} domain={domain} />
    </ComposedChart>
  );
});

/** Letter and last number beside each line's end, moved apart where they would cover each other; dots lead there, which no line of data has. */
function EndLabels({ size, ends, domain: [low, high] }: Pick<OverlayChartProps, "size" | "ends" | "domain">) {
  const right = size.width - LABELS;
  const bottom = size.height - X_AXIS;
  const marks = ends
    .map(({ entry, x, value }) => ({ entry, value, x: Y_AXIS + ((x - low) / Math.max(1e-9, high - low)) * (right - Y_AXIS), y: TOP + (1 - value) * (bottom - TOP) }))
    .toSorted((a, b) => a.y - b.y);
  const places = spread(marks.map(({ y }) => y), LABEL_HEIGHT, TOP, bottom);
  return (
    <g>
      {marks.map(({ entry, value, x, y }, index) => {
        const place = places[index] ?? y;
        const { color } = styleOf(entry);
        return (
          <g key={entry}>
            <path d={`M${x + 7} ${y}H${Math.max(x + 7, right)}L${right + 11} ${place}`} className="end-lead" />
            <circle cx={x} cy={y} r="3" fill={color} />
            <text x={right + 14} y={place + 4.5} className="end-label">
              <tspan className="end-letter">{letterOf(entry)}</tspan> {fixed(value)}
            </text>
          </g>
        );
      })}
    </g>
  );
}
