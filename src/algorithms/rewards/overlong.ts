export interface OverlongSettings {
  /** Sampled tokens from which on the penalty is `factor`. */
  readonly maxLength: number;
  /** Over how many tokens before that it grows from 0. */
  readonly buffer: number;
  readonly factor: number;
  /** Never below -factor. */
  readonly floored: boolean;
}

/**
 * min(0, -(length - (maxLength - buffer))/buffer · factor), added to the reward.
 * Source: DAPO, arXiv 2503.14476, equation 13; verl's dapo.py, which has no floor; algorithms.md, section 3.4.
 */
export function overlongPenalty(lengths: readonly number[], { maxLength, buffer, factor, floored }: OverlongSettings): number[] {
  return lengths.map((length) => {
    const penalty = Math.min(0, (-(length - (maxLength - buffer)) / buffer) * factor);
    return floored ? Math.max(-factor, penalty) : penalty;
  });
}
