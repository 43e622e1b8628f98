import { mean, sampleStd } from "./statistics.ts";

/** t quantiles at 0.975 for 1, 2, … degrees of freedom: a sweep has at most eight seeds. */
const STUDENT_975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365] as const;

export const MOST_SEEDS = STUDENT_975.length + 1;

/** One number of several runs that differ in nothing but their seed. */
export interface SeedBand {
  readonly mean: number;
  /** The lowest and the highest seed. */
  readonly range: readonly [number, number];
  /** 95 % interval of the mean over seeds by Student's t; null for one seed, or for more than it is tabled for. */
  readonly interval: readonly [number, number] | null;
  readonly seeds: number;
}

/**
 * @param values one a seed, at least one.
 * @throws RangeError without values.
 * Source of the interval: Student (1908); of its use for few training runs: Colas, Sigaud and Oudeyer, arXiv 1806.08295, section 3.
 */
export function seedBand(values: readonly number[]): SeedBand {
  if (values.length === 0) throw new RangeError("no seed has a value");
  const centre = mean(values);
  const factor = STUDENT_975[values.length - 2];
  const reach = factor === undefined ? null : (factor * sampleStd(values)) / Math.sqrt(values.length);
  return {
    mean: centre, range: [Math.min(...values), Math.max(...values)], seeds: values.length,
    interval: reach === null ? null : [centre - reach, centre + reach],
  };
}
