import { useMemo } from "react";
import { seedBand } from "#core/seeds.ts";
import { endRows, heldoutRows, lineEnds, trainingRows, type CurveRow } from "#store/compare/curves.ts";
import { letterOf, type ComparedEntry } from "#store/compare/entry.ts";
import { ChartBox } from "../charts/chart-box.tsx";
import { ChartCard, type ChartTable } from "../charts/chart-card.tsx";
import { fixed } from "../format.ts";
import { part } from "../part.tsx";

const OverlayChart = part(() => import("./overlay-chart.tsx"));

const number = (value: number | null | undefined): string => (value === null || value === undefined ? "" : fixed(value, 3));

/** One row a place; of an entry with several seeds the mean, its 95 % interval over seeds, and every seed. */
function tableOf(entries: readonly ComparedEntry[], rows: readonly CurveRow[], x: string, note: string): ChartTable {
  const columns = entries.flatMap(({ runs }, entry): { readonly title: string; readonly cell: (row: CurveRow) => string }[] => {
    const letter = letterOf(entry);
    const mean = { title: runs.length > 1 ? `${letter} mean` : letter, cell: ({ means }: CurveRow) => number(means[entry]) };
    if (runs.length === 1) return [mean];
    const interval = {
      title: `${letter} 95 % over seeds`,
      cell: ({ members }: CurveRow) => {
        const known = (members[entry] ?? []).filter((value) => value !== null);
        const range = known.length === runs.length ? seedBand(known).interval : null;
        return range === null ? "" : `${fixed(range[0], 3)} to ${fixed(range[1], 3)}`;
      },
    };
    return [mean, interval, ...runs.map(({ config }, seed) => ({ title: `${letter} seed ${config.seed}`, cell: ({ members }: CurveRow) => number(members[entry]?.[seed]) }))];
  });
  return { columns: [x, ...columns.map(({ title }) => title)], rows: rows.map((row) => [String(row.x), ...columns.map(({ cell }) => cell(row))]), note };
}

interface CurveProps {
  readonly entries: readonly ComparedEntry[];
  readonly title: string;
  readonly rows: readonly CurveRow[];
  readonly x: string;
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  /** What the lines are. */
  readonly what: string;
  /** Place of the base policy's number: a line that has not left it tells nothing of its run. */
  readonly base?: number;
}

function Curve({ entries, title, rows, x, domain, ticks, what, base }: CurveProps) {
  const ends = useMemo(() => lineEnds(rows).filter((end) => end.x !== base), [rows, base]);
  const told = ends.map(({ entry, value }) => `${letterOf(entry)} ${fixed(value)}`).join(", ");
  const summary = ends.length === 0 ? `${what} Nothing is known of it yet.` : `${what} At the end: ${told}.`;
  return (
    <ChartCard title={title} value={null} summary={summary} table={() => tableOf(entries, rows, x, what)} foot={what}>
      <ChartBox label={summary}>{(size) => <OverlayChart size={size} rows={rows} ends={ends} domain={domain} ticks={ticks} />}</ChartBox>
    </ChartCard>
  );
}

/** Held-out success and training success over updates, pass^k at the end. */
export function Curves({ entries }: { readonly entries: readonly ComparedEntry[] }) {
  const [heldout, training, end] = useMemo(() => [heldoutRows(entries), trainingRows(entries), endRows(entries)], [entries]);
  const last = Math.max(1, ...entries.flatMap(({ runs }) => runs.map(({ config, state }) => (state.status === "finished" ? config.updates : state.update))));
  const ks = Math.max(2, end.length);
  const over = { domain: [0, last], ticks: [0, Math.round(last / 2), last], x: "Update" } as const;
  return (
    <section className="compare-curves" aria-label="Curves">
      <Curve {...over} entries={entries} title="Held-out success" rows={heldout} base={0} what="pass^1 on held-out tasks over updates; at 0 the base policy's." />
      <Curve {...over} entries={entries} title="Training success" rows={training} what="Success of freshly sampled training trajectories over updates." />
      <Curve
        entries={entries} title="Reliability at the end" rows={end} x="k" domain={[1, ks]} ticks={end.map((row) => row.x)}
        what="pass^k over k, newest held-out evaluation: all of k attempts pass."
      />
    </section>
  );
}
