import type { PerToken, PerTokenOut, TokenRows } from "./token-rows.ts";

/** Per token; `values[t]` is the critic's output at the position before token t, the state the token was chosen in. */
export interface ValueTokens {
  readonly values: PerToken;
  /** Read only when `clip` is given. */
  readonly oldValues: PerToken;
  readonly returns: PerToken;
}
export interface ValueLoss {
  readonly loss: number;
  /** Share of sampled tokens whose clipped square is strictly larger; their gradient is 0. */
  readonly clipFraction: number;
}

/**
 * Half the weighted mean of max((V - G)², (clip(V, Vold ± clip) - G)²), or of (V - G)² when clip is null.
 * @param gradValues receives dLoss/dvalue.
 * Source: PPO2's value clipping as in CleanRL's ppo.py; algorithms.md, section 2.3.
 */
export function valueLoss(rows: TokenRows, { values, oldValues, returns }: ValueTokens, clip: number | null, gradValues: PerTokenOut): ValueLoss {
  const { starts, mask, weights, tokens } = rows;
  let loss = 0;
  let clipped = 0;
  for (let row = 0; row < weights.length; row += 1) {
    const weight = weights[row] as number;
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      gradValues[index] = 0;
      if (mask[index] === 0) continue;
      const error = (values[index] as number) - (returns[index] as number);
      let square = error * error;
      let slope = error;
      if (clip !== null) {
        const old = oldValues[index] as number;
        const boundedError = Math.min(Math.max(values[index] as number, old - clip), old + clip) - (returns[index] as number);
        if (boundedError * boundedError > square) {
          square = boundedError * boundedError;
          slope = 0;
          clipped += 1;
        }
      }
      loss += 0.5 * weight * square;
      gradValues[index] = weight * slope;
    }
  }
  return { loss, clipFraction: tokens === 0 ? 0 : clipped / tokens };
}
