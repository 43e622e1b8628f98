import * as v from "valibot";
import { deviceForm, PLAIN } from "./device-form.ts";
import { driftOf } from "./drift.ts";
import type { Evaluate, ObjectiveEntry, OnDevice } from "./entry.ts";
import { averageDefaults, averageFields, termDefaults, termFields, termNeeds, withTerms } from "./terms.ts";
import { weighBatch } from "./token-rows.ts";
import type { PerToken, PerTokenOut, TokenRows } from "./token-rows.ts";

const schema = v.strictObject({ ...averageFields, ...termFields });

/**
 * -Σ weight·A·logprob: the plain policy gradient, right only for one step on what the current policy sampled.
 * @param gradLogprobs receives -weight·A.
 * Source: Williams (1992); compute_policy_loss_reinforce of verl; algorithms.md, section 1.1.
 */
export function policyGradientLoss({ starts, mask, weights }: TokenRows, logprobs: PerToken, advantages: PerToken, gradLogprobs: PerTokenOut): number {
  let loss = 0;
  for (let row = 0; row < weights.length; row += 1) {
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      gradLogprobs[index] = 0;
      if (mask[index] === 0) continue;
      const slope = -(weights[row] as number) * (advantages[index] as number);
      loss += slope * (logprobs[index] as number);
      gradLogprobs[index] = slope;
    }
  }
  return loss;
}

export const reinforce: ObjectiveEntry<typeof schema> = {
  id: "reinforce",
  title: "Policy gradient without ratio (REINFORCE)",
  needs: termNeeds,
  schema,
  defaults: { ...averageDefaults, ...termDefaults },
};

export const evaluate: Evaluate<typeof schema> = (batch, stats, config) => {
  const rows = weighBatch(batch, config.aggregation, config.constant);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const loss = policyGradientLoss(rows, stats.logprobs, batch.advantages, dLogprobs);
  return withTerms(batch, stats, config, rows, { loss, dLogprobs, metrics: driftOf(rows, stats.logprobs, batch.behaviorLogprobs) });
};

export const onDevice: OnDevice<typeof schema> = (batch, config) =>
  deviceForm(batch, config, weighBatch(batch, config.aggregation, config.constant), { ...PLAIN, advantages: batch.advantages, reports: "drift" });
