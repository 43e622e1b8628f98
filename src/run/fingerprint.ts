import { fingerprint } from "#core/json.ts";

/** Updates at which a run's weights are hashed: where two runs of one configuration can be compared. */
const MARKS = 32;

/** Evenly spaced, ascending, the last update among them; every update of a run that has no more than 32. */
export const markUpdates = (updates: number): readonly number[] => {
  const count = Math.min(MARKS, updates);
  return Array.from({ length: count }, (_, index) => Math.round(((index + 1) * updates) / count));
};

/** How the weights stand at a mark. */
export interface WeightMark {
  /** `shortFingerprint` of the weights. */
  readonly hash: number;
  /** Euclidean distance from the starting weights: says how close two runs are that differ in their last bits. */
  readonly drift: number;
}

/** The 32 bits of `fingerprint`, a hash that rolls over the weights' bits, folded to 16: in any place one changed weight changes it. */
export function shortFingerprint(long: string): number {
  const bits = Number.parseInt(long, 16);
  return ((bits >>> 16) ^ bits) & 0xffff;
}

/** The sum runs in the order of the weights, in double precision. */
export function markOf(weights: Float32Array, start: Float32Array): WeightMark {
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) {
    const moved = (weights[index] ?? 0) - (start[index] ?? 0);
    sum += moved * moved;
  }
  return { hash: shortFingerprint(fingerprint(weights)), drift: Math.sqrt(sum) };
}
