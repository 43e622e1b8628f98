import type { Objective } from "#core/objective.ts";
import { aggregate, weighBatch, writeAggregateGradient } from "./token-rows.ts";
import type { PerToken, PerTokenOut, TokenRows } from "./token-rows.ts";

/**
 * Imitation: -Σ weight · log-probability of the demonstrated tokens; 0 without any.
 * @param gradLogprobs receives dLoss/dlogprob.
 * Source: algorithms.md, section 6.
 */
export function sftLoss(rows: TokenRows, logprobs: PerToken, gradLogprobs: PerTokenOut): number {
  writeAggregateGradient(rows, -1, gradLogprobs);
  return rows.tokens === 0 ? 0 : -aggregate(rows, logprobs);
}

export interface SftConfig {
  /** All demonstrated tokens alike, or every demonstration alike. */
  readonly aggregation: "tokenMean" | "sequenceMean";
}

/** For pretraining: imitates the batch's sampled tokens and reads no advantage. */
export const sft: Objective<SftConfig> = (batch, stats, { aggregation }) => {
  const rows = weighBatch(batch, aggregation, null);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const loss = sftLoss(rows, stats.logprobs, dLogprobs);
  return { loss, dLogprobs, metrics: { meanEntropy: aggregate(weighBatch(batch, "tokenMean", null), stats.entropies) } };
};
