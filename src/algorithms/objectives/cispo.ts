import * as v from "valibot";
import { exp } from "#core/math.ts";
import type { ClipRange, PolicyTokens } from "./clipped-loss.ts";
import { deviceForm } from "./device-form.ts";
import { driftOf } from "./drift.ts";
import type { Evaluate, ObjectiveEntry, OnDevice } from "./entry.ts";
import { averageDefaults, averageFields, termDefaults, termFields, termNeeds, withTerms } from "./terms.ts";
import { weighBatch } from "./token-rows.ts";
import type { PerTokenOut, TokenRows } from "./token-rows.ts";

const schema = v.strictObject({ ...averageFields, ...termFields });

export interface CispoLoss {
  readonly loss: number;
  /** Share of sampled tokens whose weight was bounded; they still pull. */
  readonly clipFraction: number;
}

/**
 * -Σ weight·w·A·logprob, w = clip(ratio, 1 - clipLow, 1 + clipHigh) held fixed: no token is dropped.
 * @param gradLogprobs receives -weight·w·A.
 * Source: CISPO, MiniMax-M1, arXiv 2506.13585, equation 4; algorithms.md, section 3.6.
 */
export function cispoLoss(rows: TokenRows, { logprobs, oldLogprobs, advantages }: PolicyTokens, { clipLow, clipHigh }: ClipRange, gradLogprobs: PerTokenOut): CispoLoss {
  const { starts, mask, weights, tokens } = rows;
  let [loss, bounded] = [0, 0];
  for (let row = 0; row < weights.length; row += 1) {
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      gradLogprobs[index] = 0;
      if (mask[index] === 0) continue;
      const ratio = exp((logprobs[index] as number) - (oldLogprobs[index] as number));
      const held = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
      if (held !== ratio) bounded += 1;
      const slope = -(weights[row] as number) * held * (advantages[index] as number);
      loss += slope * (logprobs[index] as number);
      gradLogprobs[index] = slope;
    }
  }
  return { loss, clipFraction: bounded / Math.max(1, tokens) };
}

export const cispo: ObjectiveEntry<typeof schema> = {
  id: "cispo",
  title: "CISPO (bounded weights, nothing dropped)",
  needs: termNeeds,
  schema,
  defaults: { ...averageDefaults, ...termDefaults },
};

export const evaluate: Evaluate<typeof schema> = (batch, stats, config) => {
  const rows = weighBatch(batch, config.aggregation, config.constant);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const policy = { logprobs: stats.logprobs, oldLogprobs: batch.behaviorLogprobs, advantages: batch.advantages };
  const { loss, clipFraction } = cispoLoss(rows, policy, config, dLogprobs);
  return withTerms(batch, stats, config, rows, { loss, dLogprobs, metrics: { clipFraction, ...driftOf(rows, stats.logprobs, batch.behaviorLogprobs) } });
};

export const onDevice: OnDevice<typeof schema> = (batch, config) => {
  const { clipLow, clipHigh } = config;
  const rows = weighBatch(batch, config.aggregation, config.constant);
  return deviceForm(batch, config, rows, { surrogate: "weight", clipLow, clipHigh, dualClip: null, advantages: batch.advantages, reports: "clipping" });
};
