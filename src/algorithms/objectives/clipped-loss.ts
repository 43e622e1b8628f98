import { exp } from "#core/math.ts";
import type { PerToken, PerTokenOut, TokenRows } from "./token-rows.ts";

/** How far the importance ratio may move before a token stops pulling: 1 - clipLow .. 1 + clipHigh. */
export interface ClipRange {
  readonly clipLow: number;
  readonly clipHigh: number;
}
export interface ClipSettings extends ClipRange {
  /** c > 1: the loss of a token with a negative advantage is at most -c·A; null = off. */
  readonly dualClip: number | null;
}
export interface PolicyTokens {
  readonly logprobs: PerToken;
  /** Of the policy that sampled. */
  readonly oldLogprobs: PerToken;
  readonly advantages: PerToken;
}
export interface ClippedLoss {
  readonly loss: number;
  /** Share of sampled tokens whose clipped term is strictly larger than the unclipped one; their gradient is 0. */
  readonly clipFraction: number;
  /** Mean of (ρ - 1) - log ρ over the sampled tokens: the k3 estimate of KL(sampling ‖ current), not negative but for rounding. */
  readonly approxKl: number;
  /** Largest importance ratio of a sampled token; 0 without any. */
  readonly maxRatio: number;
}

/**
 * Weighted sum of max(-A·ρ, -A·clip(ρ, 1 - clipLow, 1 + clipHigh)) with ρ = exp(logprob - oldLogprob). Log ratios are not clamped.
 * @param gradLogprobs receives dLoss/dlogprob: -weight·A·ρ where the unclipped term counts, else 0.
 * Source: PPO, arXiv 1707.06347, equation 7; uneven range: DAPO, arXiv 2503.14476, section 3.1; dual clip: arXiv 1912.09729,
 * section "Dual-clip PPO"; k3: http://joschu.net/blog/kl-approx.html.
 */
export function clippedLoss(rows: TokenRows, policy: PolicyTokens, { clipLow, clipHigh, dualClip }: ClipSettings, gradLogprobs: PerTokenOut): ClippedLoss {
  const { starts, mask, weights, tokens } = rows;
  const { logprobs, oldLogprobs, advantages } = policy;
  let loss = 0;
  let clipped = 0;
  let klSum = 0;
  let maxRatio = 0;
  for (let row = 0; row < weights.length; row += 1) {
    const weight = weights[row] as number;
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      gradLogprobs[index] = 0;
      if (mask[index] === 0) continue;
      const logRatio = (logprobs[index] as number) - (oldLogprobs[index] as number);
      const ratio = exp(logRatio);
      const advantage = advantages[index] as number;
      const unclippedTerm = -advantage * ratio;
      const clippedTerm = -advantage * Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
      let tokenLoss = unclippedTerm;
      let slope = unclippedTerm;
      if (clippedTerm > unclippedTerm) {
        tokenLoss = clippedTerm;
        slope = 0;
        clipped += 1;
      }
      if (dualClip !== null && advantage < 0 && tokenLoss > -dualClip * advantage) {
        tokenLoss = -dualClip * advantage;
        slope = 0;
      }
      loss += weight * tokenLoss;
      gradLogprobs[index] = weight * slope;
      klSum += ratio - 1 - logRatio;
      maxRatio = Math.max(maxRatio, ratio);
    }
  }
  const count = Math.max(1, tokens);
  return { loss, clipFraction: clipped / count, approxKl: klSum / count, maxRatio };
}
