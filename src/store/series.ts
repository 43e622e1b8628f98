import type { UpdateMetrics } from "#run/run-event.ts";

/** What the charts and strips draw over the updates. */
export const SERIES_METRICS = [
  "success", "reward", "rewardSpread", "noSignalShare", "allZeroShare", "entropy", "gradNorm", "clipFraction", "kl", "turns", "errors",
  "truncatedShare",
] as const satisfies readonly (keyof UpdateMetrics)[];
export type SeriesMetric = (typeof SERIES_METRICS)[number];

/** Means over a run of consecutive updates; null where no update of the run had the number. */
export interface SeriesPoint {
  readonly from: number;
  readonly to: number;
  readonly updates: number;
  readonly values: Readonly<Record<SeriesMetric, number | null>>;
}

/** Bounded whatever the length of the run: when it is full, neighbours are merged and points cover twice as many updates. */
export interface Series {
  readonly stride: number;
  readonly points: readonly SeriesPoint[];
}

/** Most points a chart is given. */
export const SERIES_LIMIT = 150;
export const EMPTY_SERIES: Series = { stride: 1, points: [] };

export function appendUpdate(series: Series, update: number, metrics: UpdateMetrics): Series {
  const values = valuesOf((name) => metrics[name]);
  const last = series.points.at(-1);
  const points =
    last !== undefined && last.updates < series.stride
      ? [...series.points.slice(0, -1), merged(last, { from: update, to: update, updates: 1, values })]
      : [...series.points, { from: update, to: update, updates: 1, values }];
  return points.length > SERIES_LIMIT ? { stride: series.stride * 2, points: mergedPairs(points) } : { stride: series.stride, points };
}

function mergedPairs(points: readonly SeriesPoint[]): SeriesPoint[] {
  const result: SeriesPoint[] = [];
  for (let index = 0; index < points.length; index += 2) {
    const [first, second] = [points[index], points[index + 1]];
    if (first !== undefined) result.push(second === undefined ? first : merged(first, second));
  }
  return result;
}

function merged(first: SeriesPoint, second: SeriesPoint): SeriesPoint {
  const updates = first.updates + second.updates;
  const values = valuesOf((name) => {
    const [a, b] = [first.values[name], second.values[name]];
    if (a === null || b === null) return a ?? b;
    return (a * first.updates + b * second.updates) / updates;
  });
  return { from: first.from, to: second.to, updates, values };
}

function valuesOf(value: (name: SeriesMetric) => number | null): Readonly<Record<SeriesMetric, number | null>> {
  return {
    success: value("success"),
    reward: value("reward"),
    rewardSpread: value("rewardSpread"),
    noSignalShare: value("noSignalShare"),
    allZeroShare: value("allZeroShare"),
    entropy: value("entropy"),
    gradNorm: value("gradNorm"),
    clipFraction: value("clipFraction"),
    kl: value("kl"),
    turns: value("turns"),
    errors: value("errors"),
    truncatedShare: value("truncatedShare"),
  };
}
