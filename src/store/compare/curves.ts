import { seedBand } from "#core/seeds.ts";
import { lastEvaluation, type ComparedEntry, type LoadedRun } from "./entry.ts";

/** One place on the x axis; [entries] each. */
export interface CurveRow {
  readonly x: number;
  /** Means over the entry's seeds; null where not all of them have a number. */
  readonly means: readonly (number | null)[];
  /** From the lowest to the highest seed; null for an entry of one run. */
  readonly ranges: readonly (readonly [number, number] | null)[];
  /** [entries][seeds] */
  readonly members: readonly (readonly (number | null)[])[];
}

type Points = ReadonlyMap<number, number>;

/** What each run has at each place, put together entry by entry. */
function rowsOf(entries: readonly ComparedEntry[], points: (run: LoadedRun) => Points): readonly CurveRow[] {
  const known = entries.map(({ runs }) => runs.map(points));
  const places = [...new Set(known.flat().flatMap((run) => [...run.keys()]))].toSorted((a, b) => a - b);
  return places.map((x) => {
    const members = known.map((runs) => runs.map((run) => run.get(x) ?? null));
    const bands = members.map((values) => {
      const all = values.filter((value) => value !== null);
      return all.length < values.length || all.length === 0 ? null : seedBand(all);
    });
    return { x, means: bands.map((band) => band?.mean ?? null), ranges: bands.map((band) => (band === null || band.seeds === 1 ? null : band.range)), members };
  });
}

/** pass^1 on held-out tasks over updates; the base policy's is at 0. */
export const heldoutRows = (entries: readonly ComparedEntry[]): readonly CurveRow[] =>
  rowsOf(entries, ({ state }) => new Map(state.heldout.map(({ update, passHat1 }) => [update, passHat1])));

/** Success of the trajectories sampled for training, over updates; of long runs means over as many updates as the curve's points cover. */
export const trainingRows = (entries: readonly ComparedEntry[]): readonly CurveRow[] =>
  rowsOf(entries, ({ state }) => new Map(state.series.points.flatMap(({ to, values }) => (values.success === null ? [] : [[to, values.success] as const]))));

/** pass^k of the newest evaluation, over k. */
export const endRows = (entries: readonly ComparedEntry[]): readonly CurveRow[] =>
  rowsOf(entries, (run) => new Map((lastEvaluation(run)?.report.passHatK ?? []).map((value, index) => [index + 1, value])));

export interface LineEnd {
  readonly entry: number;
  readonly x: number;
  readonly value: number;
}

/** Where each entry's line ends; entries without a number have none. */
export const lineEnds = (rows: readonly CurveRow[]): readonly LineEnd[] =>
  (rows[0]?.means ?? []).flatMap((_, entry) => {
    const row = rows.findLast(({ means }) => means[entry] !== null && means[entry] !== undefined);
    const value = row?.means[entry];
    return row === undefined || value === null || value === undefined ? [] : [{ entry, x: row.x, value }];
  });

/** Places at least `gap` apart and within [low, high], as near to the wanted ones as their order allows. @param wanted ascending */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): readonly number[] {
  const placed: number[] = [];
  for (const place of wanted) placed.push(Math.max(place, (placed.at(-1) ?? low - gap) + gap));
  let limit = high;
  for (let index = placed.length - 1; index >= 0; index -= 1) {
    placed[index] = Math.min(placed[index] ?? limit, limit);
    limit = (placed[index] ?? limit) - gap;
  }
  return placed;
}
