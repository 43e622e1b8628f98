import { exp } from "#core/math.ts";

/** From the sampled token's log-probability alone; d = log p - log q. */
export type KlEstimator = "k1" | "k2" | "k3";

export interface KlEstimate {
  readonly value: number;
  /** With respect to log p of the sampled token. */
  readonly slope: number;
}

/**
 * k1 = d, k2 = d²/2, k3 = exp(-d) + d - 1. As a loss on the policy's own samples only k2 has, on average, the gradient of KL(p ‖ q):
 * k1's is 0 on average and k3's is that of KL(q ‖ p).
 * Source: http://joschu.net/blog/kl-approx.html; the gradients, algorithms.md, section 12.1.
 */
export function klEstimate(logprob: number, referenceLogprob: number, estimator: KlEstimator): KlEstimate {
  const d = logprob - referenceLogprob;
  if (estimator === "k1") return { value: d, slope: 1 };
  if (estimator === "k2") return { value: (d * d) / 2, slope: d };
  const inverse = exp(-d);
  return { value: inverse + d - 1, slope: 1 - inverse };
}
