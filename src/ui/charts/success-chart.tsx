import { memo } from "react";
import { Area, CartesianGrid, ComposedChart, Line, ReferenceDot, ReferenceLine, XAxis, YAxis } from "recharts";
import type { SuccessRow } from "#store/selectors.ts";
import type { Size } from "../hooks/use-size.ts";
import { HALVES, MARGIN, tick } from "./axes.ts";
import { stillLine } from "./still-line.tsx";

/** Axes are drawn for data only; before any there is one row that shows nothing. */
const NO_ROWS: SuccessRow[] = [{ update: 0, training: 0, heldout: null, interval: null }];

interface SuccessChartProps {
  readonly size: Size;
  readonly rows: readonly SuccessRow[];
  readonly updates: number;
  /** The update that is looked at; null for the newest. */
  readonly at: number | null;
}

/** Thin: success of the freshly sampled training trajectories. Thick with band: held-out tasks. Dotted: the start. */
export default memo(function SuccessChart({ size, rows, updates, at }: SuccessChartProps) {
  const last = rows.findLast(({ heldout }) => heldout !== null);
  const shown = at === null ? undefined : rows.findLast(({ update, training }) => update <= at && training !== null);
  const start = rows[0]?.update === 0 ? rows[0].heldout : null;
  return (
    <ComposedChart width={size.width} height={size.height} data={rows.length === 0 ? NO_ROWS : [...rows]} margin={MARGIN} accessibilityLayer={false}>
      <CartesianGrid vertical={false} stroke="var(--hairline)" />
      <XAxis dataKey="update" type="number" domain={[0, updates]} ticks={[0, Math.round(updates / 2), updates]} height={20} {...tick} />
      <YAxis type="number" domain={[0, 1]} ticks={HALVES} width={26} {...tick} />
      {rows.length > 0 && <Area dataKey="interval" type="linear" stroke="none" fill="var(--band)" fillOpacity={1} connectNulls dot={false} activeDot={false} isAnimationActive={false} />}
      {start !== null && <ReferenceLine y={start} stroke="var(--ink-3)" strokeWidth={1.5} strokeDasharray="1 3" strokeLinecap="round" />}
      {rows.length > 0 && <Line shape={stillLine} dataKey="training" type="linear" stroke="var(--edge)" strokeWidth={1} connectNulls dot={false} activeDot={false} isAnimationActive={false} />}
      {rows.length > 0 && <Line shape={stillLine} dataKey="heldout" type="linear" stroke="var(--ink)" strokeWidth={2} connectNulls dot={false} activeDot={false} isAnimationActive={false} />}
      {at !== null && <ReferenceLine x={at} stroke="var(--ink-3)" strokeDasharray="2 3" />}
      {at !== null && shown?.training != null && <ReferenceDot x={at} y={shown.training} r={3.5} fill="var(--paper)" stroke="var(--ink)" strokeWidth={1.5} />}
      {last?.heldout != null && <ReferenceDot x={last.update} y={last.heldout} r={3} fill="var(--ink)" stroke="none" />}
    </ComposedChart>
  );
});
