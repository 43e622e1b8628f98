import type { TokenLoss, TrainBatch } from "#core/objective.ts";
import type { DeviceForm } from "./entry.ts";
import type { TermConfig } from "./terms.ts";
import { writeAggregateGradient } from "./token-rows.ts";
import type { TokenRows } from "./token-rows.ts";

/** What an objective says of itself; the terms and the average are added to it. */
interface Main extends Pick<TokenLoss, "surrogate" | "clipLow" | "clipHigh" | "dualClip" | "advantages"> {
  /** Beside the mean entropy: nothing, how far the policy moved from the one that sampled, and what share of the tokens was clipped. */
  readonly reports: "nothing" | "drift" | "clipping";
}

/**
 * The counterpart of `withTerms`: the same loss, told instead of computed.
 * @returns undefined where a value is to be fitted and the batch has no returns: `withTerms` says what is missing
 */
export function deviceForm(batch: TrainBatch, config: TermConfig, rows: TokenRows, { reports, ...main }: Main): DeviceForm | undefined {
  const { entropyCoefficient, klCoefficient, klEstimator, valueCoefficient } = config;
  if (valueCoefficient !== 0 && batch.returns === undefined) return undefined;
  const weights = new Float32Array(batch.rows * batch.length);
  writeAggregateGradient(rows, 1, weights);
  const count = Math.max(1, rows.tokens);
  return {
    loss: {
      ...main, weights, behaviorLogprobs: batch.behaviorLogprobs, entropyCoefficient, klCoefficient, klEstimator, valueWeight: valueCoefficient / count,
      ...(batch.returns && { returns: batch.returns }),
    },
    metrics: ({ clipped, drift, entropy, maxRatio }) => ({
      ...(reports === "clipping" && { clipFraction: clipped / count }),
      ...(reports !== "nothing" && { approxKl: drift / count, maxRatio }),
      meanEntropy: entropy / count,
    }),
  };
}

/** -Σ weight·A·logprob: the weight held between 1 and 1. */
export const PLAIN = { surrogate: "weight", clipLow: 0, clipHigh: 0, dualClip: null } as const;
