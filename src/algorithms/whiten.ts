import { isConstant, mean, sampleStd } from "#core/statistics.ts";

const VARIANCE_FLOOR = 1e-8;

/**
 * (x - mean)/√(sample variance + 1e-8) over a whole batch; 0 with fewer than two numbers and when they are constant.
 * @param mask 0 for numbers that do not count: they are not read and come out as 0. Absent: all count.
 * Source: masked_whiten of verl; algorithms.md, section 0.
 */
export function whiten(values: Float64Array, mask?: ArrayLike<number>): Float64Array {
  const counted = values.filter((_, index) => mask?.[index] !== 0);
  if (isConstant(counted)) return new Float64Array(values.length);
  const centre = mean(counted);
  const scale = Math.sqrt(sampleStd(counted) ** 2 + VARIANCE_FLOOR);
  return values.map((value, index) => (mask?.[index] === 0 ? 0 : (value - centre) / scale));
}
