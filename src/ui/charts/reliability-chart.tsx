import { memo } from "react";
import { Area, CartesianGrid, ComposedChart, Line, ReferenceDot, ReferenceLine, XAxis, YAxis } from "recharts";
import type { Subject } from "#run/run-event.ts";
import { SUBJECTS, type ReliabilityRow } from "#store/selectors.ts";
import type { Size } from "../hooks/use-size.ts";
import { HALVES, MARGIN, tick } from "./axes.ts";
import { stillLine } from "./still-line.tsx";
import { SUBJECT_STYLES } from "./subjects.ts";

/** Axes are drawn for data only; before any there is one row that shows nothing. */
const NO_ROWS: ReliabilityRow[] = [{ k: 1, all: {}, any: {}, allInterval: null, anyInterval: null }];

interface ReliabilityChartProps {
  readonly size: Size;
  readonly rows: readonly ReliabilityRow[];
  /** The k that is looked at. */
  readonly k: number;
  /** With few tasks a line would claim too much: the band alone is drawn. */
  readonly bandOnly: boolean;
}

/** pass^k falls (solid), pass@k rises (dashed), from one point at k = 1. */
export default memo(function ReliabilityChart({ size, rows, k, bandOnly }: ReliabilityChartProps) {
  const last = rows.at(-1);
  const longest = rows.length === 0 ? 8 : rows.length;
  const here = rows[k - 1];
  return (
    <ComposedChart width={size.width} height={size.height} data={rows.length === 0 ? NO_ROWS : [...rows]} margin={{ ...MARGIN, bottom: 7 }} accessibilityLayer={false}>
      <CartesianGrid vertical={false} stroke="var(--hairline)" />
      <XAxis dataKey="k" type="number" domain={[1, Math.max(2, longest)]} hide />
      <YAxis type="number" domain={[0, 1]} ticks={HALVES} width={26} {...tick} />
      <Area dataKey="anyInterval" type="linear" stroke="none" fill="var(--band-2)" fillOpacity={1} dot={false} activeDot={false} isAnimationActive={false} />
      <Area dataKey="allInterval" type="linear" stroke="none" fill="var(--band)" fillOpacity={1} dot={false} activeDot={false} isAnimationActive={false} />
      <Area dataKey={gain} type="linear" stroke="none" fill="url(#gain)" fillOpacity={1} dot={false} activeDot={false} isAnimationActive={false} />
      {rows.length > 0 && <ReferenceLine x={k} stroke="var(--edge)" strokeWidth={1} />}
      {SUBJECTS.toReversed().flatMap((subject) => (rows.length > 0 && bandOnly && subject === "current" ? [] : lines(subject, rows.length === 0)))}
      {SUBJECTS.toReversed().map((subject) => {
        const y = last?.all[subject];
        if (last === undefined || y === undefined) return null;
        const { color, mark } = SUBJECT_STYLES[subject];
        return <ReferenceDot key={subject} x={last.k} y={y} r={3} fill={mark === "filled" ? color : "var(--paper)"} stroke={color} strokeWidth={1.5} />;
      })}
      {here?.all.current !== undefined && <ReferenceDot x={k} y={here.all.current} r={3.5} fill="var(--paper)" stroke="var(--ink)" strokeWidth={2} />}
      {here?.any.current !== undefined && <ReferenceDot x={k} y={here.any.current} r={3.5} fill="var(--paper)" stroke="var(--ink)" strokeWidth={2} />}
    </ComposedChart>
  );
});

/** Between the policy that the run started from and the one it has now. */
function gain({ all }: ReliabilityRow): [number, number] | null {
  return all.base === undefined || all.current === undefined ? null : [all.base, all.current];
}

function lines(subject: Subject, isEmpty: boolean) {
  const { color, width } = SUBJECT_STYLES[subject];
  const shared = { type: "linear", shape: stillLine, stroke: isEmpty ? "none" : color, strokeWidth: width, dot: false, activeDot: false, isAnimationActive: false } as const;
  return [
    <Line key={`${subject}-any`} {...shared} dataKey={(row: ReliabilityRow) => row.any[subject] ?? null} strokeDasharray="5 3" />,
    <Line key={`${subject}-all`} {...shared} dataKey={(row: ReliabilityRow) => row.all[subject] ?? null} />,
  ];
}
