const NORMAL = 1.959964;

/** The 97.5 % quantile of Student's t by its expansion in 1/df (Abramowitz and Stegun, 26.7.5), good from two degrees of freedom on. */
export function studentQuantile(degrees: number): number {
  const df = Math.max(2, degrees);
  const z = NORMAL;
  const cube = z * z * z;
  return z + (cube + z) / (4 * df) + (5 * cube * z * z + 16 * cube + 3 * z) / (96 * df * df);
}

/**
 * Half-width, around the plain weighted mean, of a 95 % interval for the mean of values that lie between `low` and `high`. Two made-up
 * values, one at each end, join the sample (as in Agresti and Coull's interval): what was not drawn may differ from all that was, so
 * few draws that agree are no certainty.
 * @param weights sum to 1.
 */
export function halfWidthOfMean(values: readonly number[], weights: readonly number[], low: number, high: number): number {
  const count = 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
  const plain = values.reduce((sum, value, index) => sum + (weights[index] ?? 0) * value, 0);
  const total = count + 2;
  const centre = (count * plain + low + high) / total;
  let squares = (high - centre) ** 2 + (low - centre) ** 2;
  for (const [index, value] of values.entries()) squares += count * (weights[index] ?? 0) * (value - centre) ** 2;
  return studentQuantile(total - 1) * Math.sqrt(squares / (total - 1) / total) + Math.abs(plain - centre);
}
