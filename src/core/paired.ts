import { bootstrapInterval, mean, type Interval } from "./statistics.ts";

const RESAMPLES = 2000;
const LEVEL = 0.95;

/** Two policies on the same tasks, as "second − first". */
export interface PairedDifference extends Interval {
  /** Tasks on which the second did better, worse, and equally well. */
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
  /** Whether the 95 % interval leaves zero out, and on which side it then lies. */
  readonly side: "above" | "below" | "not-separated";
}

/**
 * Mean over tasks of the difference in each task's rate, with a 95 % percentile bootstrap over tasks: what both find easy or hard cancels,
 * so that it is narrower than what two separate intervals suggest wherever rates go together. What other seeds would have done is not in it.
 * @param first and @param second [tasks], rates in [0, 1], the same task at the same place.
 * @param draw uniform in [0, 1).
 * @throws RangeError without tasks, or with more of one than of the other.
 * Source: Efron and Tibshirani (1993), section 8.3 (pairs are resampled, not values).
 */
export function pairedDifference(first: readonly number[], second: readonly number[], draw: () => number): PairedDifference {
  if (first.length !== second.length) throw new RangeError(`${first.length} tasks cannot be paired with ${second.length}`);
  const differences = second.map((rate, task) => rate - (first[task] ?? Number.NaN));
  const interval = bootstrapInterval(differences, RESAMPLES, LEVEL, draw);
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  return {
    ...interval, better, worse, equal: differences.length - better - worse,
    side: interval.low > 0 ? "above" : interval.high < 0 ? "below" : "not-separated",
  };
}

/** Each task's rate averaged over runs that met the same tasks. @param rates [runs][tasks] */
export const meanRates = (rates: readonly (readonly number[])[]): readonly number[] =>
  (rates[0] ?? []).map((_, task) => mean(rates.map((run) => run[task] ?? Number.NaN)));
