import { useDeferredValue, useMemo } from "react";
import { useShallow } from "zustand/shallow";
import { successRows, type SuccessRow } from "#store/selectors.ts";
import { ChartBox } from "../charts/chart-box.tsx";
import { ChartCard, type ChartTable } from "../charts/chart-card.tsx";
import { newestOf, rowsBy, successSummary } from "../charts/success-text.ts";
import { fixed } from "../format.ts";
import { useDraft, useRun, useView } from "../workbench-context.ts";
import { part } from "../part.tsx";

const SuccessChart = part(() => import("../charts/success-chart.tsx"));

export function SuccessPanel() {
  const run = useRun("success", useShallow(({ series, heldout, config, update }) => ({ series, heldout, config, update })));
  const edited = useDraft((draft) => draft.config);
  // A press is painted before the curves follow it.
  const at = useDeferredValue(useView((view) => view.at));
  const { series, heldout } = run;
  const rows = useDeferredValue(useMemo(() => successRows(series, heldout), [series, heldout]));
  const updates = Math.max(run.update, (run.config ?? edited).updates);
  const reached = rowsBy(rows, at);
  const newest = newestOf(reached);
  const summary = successSummary(reached, updates);
  return (
    <ChartCard
      title="Success"
      value={newest === undefined ? null : <Value row={newest} />}
      summary={summary}
      table={() => tableOf(rows)}
    >
      <ChartBox label={summary}>{(size) => <SuccessChart size={size} rows={rows} updates={updates} at={rows.length === 0 ? null : at} />}</ChartBox>
    </ChartCard>
  );
}

const Value = ({ row: { heldout, training } }: { readonly row: SuccessRow }) => (
  <span className="value">
    {fixed(heldout ?? training ?? 0)} <small>{heldout === null ? "training" : "held-out"}</small>
  </span>
);

const cell = (value: number | null): string => (value === null ? "" : fixed(value, 3));

const tableOf = (rows: readonly SuccessRow[]): ChartTable => ({
  ...(rows.length === 0 ? { note: "Nothing computed yet: a row comes with each update." } : {}),
  columns: ["Update", "Training", "Held-out", "95 % interval"],
  rows: rows.map(({ update, training, heldout, interval }) => [
    String(update),
    cell(training),
    cell(heldout),
    interval === null ? "" : `${fixed(interval[0])} to ${fixed(interval[1])}`,
  ]),
});
