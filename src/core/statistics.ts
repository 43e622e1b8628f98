/** Sets whose largest and smallest members are this close count as constant. */
const CONSTANT_SPREAD = 1e-12;

/** NaN for an empty set. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index] as number;
  return sum / values.length;
}

function sumOfSquares(values: ArrayLike<number>): number {
  const centre = mean(values);
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) {
    const distance = (values[index] as number) - centre;
    sum += distance * distance;
  }
  return sum;
}

/** Divided by N (numpy's default, ddof 0); NaN for an empty set. */
export const populationStd = (values: ArrayLike<number>): number => Math.sqrt(sumOfSquares(values) / values.length);

/** Divided by N - 1 (torch's default, ddof 1); NaN for fewer than two values. */
export const sampleStd = (values: ArrayLike<number>): number =>
  values.length < 2 ? NaN : Math.sqrt(sumOfSquares(values) / (values.length - 1));

/** True where nothing tells the values apart: max - min <= 1e-12, and for no value or one. */
export function isConstant(values: ArrayLike<number>): boolean {
  let least = Infinity;
  let most = -Infinity;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return values.length < 2 || most - least <= CONSTANT_SPREAD;
}

/**
 * Linear interpolation at (N - 1)·q: type 7 of Hyndman and Fan (1996), the default of R and numpy.
 * @param sorted ascending, at least one value.
 * @param q in [0, 1]
 */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const position = (sorted.length - 1) * q;
  const below = Math.floor(position);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (position - below) * (high - low);
}

export interface PassRates {
  /** [tasks]; null where a task has fewer than k trials. */
  readonly perTask: readonly (number | null)[];
  /** Over tasks; null when any of them is undefined or there is none. */
  readonly mean: number | null;
}

/** C(chosen, k) / C(trials, k) as a product, exactly 0 when chosen < k. */
function shareOfDraws(chosen: number, trials: number, k: number): number {
  if (chosen < k) return 0;
  let share = 1;
  for (let drawn = 0; drawn < k; drawn += 1) share *= (chosen - drawn) / (trials - drawn);
  return share;
}

function passRates(successes: readonly number[], trials: readonly number[], k: number, rate: (c: number, n: number) => number): PassRates {
  if (successes.length !== trials.length) throw new RangeError(`${successes.length} success counts for ${trials.length} trial counts`);
  const perTask = successes.map((count, task) => {
    const tried = trials[task] as number;
    if (!(count >= 0 && count <= tried)) throw new RangeError(`task ${task} has ${count} successes in ${tried} trials`);
    return tried < k ? null : rate(count, tried);
  });
  const defined = perTask.filter((value) => value !== null);
  return { perTask, mean: defined.length === 0 || defined.length < perTask.length ? null : mean(defined) };
}

/**
 * pass^k: the chance that k trials of a task, drawn without replacement, all succeed; unbiased for k <= n independent trials.
 * Each task counts with its own number of trials (tau2-bench's rule).
 * @throws RangeError when a task has more successes than trials.
 * Source: tau-bench, arXiv 2406.12045.
 */
export const passHatK = (successes: readonly number[], trials: readonly number[], k: number): PassRates =>
  passRates(successes, trials, k, (count, tried) => shareOfDraws(count, tried, k));

/**
 * pass@k: the chance that at least one of k trials succeeds, 1 - C(n - c, k) / C(n, k); exactly 1 when n - c < k.
 * @throws RangeError when a task has more successes than trials.
 * Source: Codex, arXiv 2107.03374, section 2.1.
 */
export const passAtK = (successes: readonly number[], trials: readonly number[], k: number): PassRates =>
  passRates(successes, trials, k, (count, tried) => 1 - shareOfDraws(tried - count, tried, k));

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Sample standard deviation / √N; null for a single value. */
  readonly standardError: number | null;
}

/**
 * Percentile bootstrap of a mean over tasks, the unit that varies; never over pooled trials. Too narrow for few tasks.
 * @param values [tasks], at least one.
 * @param level such as 0.95.
 * @param draw uniform in [0, 1); all resamples come from this one stream, N draws each, so equal streams pick equal tasks.
 * @throws RangeError without values or resamples.
 * Source: Efron and Tibshirani (1993), chapter 13.
 */
export function bootstrapInterval(values: readonly number[], resamples: number, level: number, draw: () => number): Interval {
  if (values.length === 0 || resamples < 1) throw new RangeError(`cannot resample ${values.length} values ${resamples} times`);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn += 1) sum += values[Math.floor(draw() * values.length)] as number;
    means[resample] = sum / values.length;
  }
  means.sort();
  return {
    mean: mean(values),
    low: quantile(means, (1 - level) / 2),
    high: quantile(means, (1 + level) / 2),
    standardError: values.length < 2 ? null : sampleStd(values) / Math.sqrt(values.length),
  };
}

const NORMAL_975 = 1.959964;

/**
 * 95 % interval of a share from independent trials; lies within [0, 1] and does not close up where all or none succeeded.
 * @throws RangeError without trials. Source: Wilson (1927).
 */
export function wilsonInterval(successes: number, trials: number): readonly [number, number] {
  if (!(trials > 0 && successes >= 0 && successes <= trials)) throw new RangeError(`${successes} successes in ${trials} trials`);
  const share = successes / trials;
  const squared = NORMAL_975 * NORMAL_975;
  const centre = share + squared / (2 * trials);
  const reach = NORMAL_975 * Math.sqrt((share * (1 - share)) / trials + squared / (4 * trials * trials));
  const whole = 1 + squared / trials;
  return [Math.max(0, (centre - reach) / whole), Math.min(1, (centre + reach) / whole)];
}
