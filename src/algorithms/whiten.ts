import { isConstant, mean, sampleStd } from "#core/statistics.ts";

const VARIANCE_FLOOR = 1e-8;

/**
 * (x - mean)/√(sample variance + 1e-8) over the sampled tokens of a whole batch; 0 with fewer than two of them and when they are
 * constant. @param mask 1 where sampled; 0 comes out elsewhere and nothing is read there.
 * Source: masked_whiten of verl; algorithms.md, section 0.
 */
export function whiten(values: Float64Array, mask: ArrayLike<number>): Float64Array {
  const sampled = values.filter((_, index) => mask[index] !== 0);
  if (isConstant(sampled)) return new Float64Array(values.length);
  const centre = mean(sampled);
  const scale = Math.sqrt(sampleStd(sampled) ** 2 + VARIANCE_FLOOR);
  return values.map((value, index) => (mask[index] === 0 ? 0 : (value - centre) / scale));
}
