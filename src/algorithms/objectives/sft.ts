import * as v from "valibot";
import { choiceField } from "#core/field.ts";
import { deviceForm, PLAIN } from "./device-form.ts";
import { driftOf } from "./drift.ts";
import type { Evaluate, ObjectiveEntry, OnDevice } from "./entry.ts";
import { termDefaults, termFields, termNeeds, withTerms } from "./terms.ts";
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

const schema = v.strictObject({
  aggregation: choiceField(["tokenMean", "sequenceMean"], { title: "Average over", help: "All demonstrated tokens alike, or every demonstration alike." }),
  ...termFields,
});

/** Learns from demonstrations instead of from what was sampled: no advantage is read, and what credit says changes nothing. */
export const sft: ObjectiveEntry<typeof schema> = {
  id: "sft",
  title: "Imitation of demonstrations (SFT)",
  needs: (config) => ["demonstrations", ...termNeeds(config)],
  schema,
  defaults: { aggregation: "tokenMean", ...termDefaults },
};

export const evaluate: Evaluate<typeof schema> = (batch, stats, config) => {
  const rows = weighBatch(batch, config.aggregation, null);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const loss = sftLoss(rows, stats.logprobs, dLogprobs);
  // A demonstration was sampled by no policy: there is nothing to have drifted from.
  const metrics = batch.groupReturns === undefined ? {} : driftOf(rows, stats.logprobs, batch.behaviorLogprobs);
  return withTerms(batch, stats, config, rows, { loss, dLogprobs, metrics });
};

export const onDevice: OnDevice<typeof schema> = (batch, config) => {
  const advantages = new Float32Array(batch.rows * batch.length).fill(1);
  const reports = batch.groupReturns === undefined ? "nothing" : "drift";
  return deviceForm(batch, config, weighBatch(batch, config.aggregation, null), { ...PLAIN, advantages, reports });
};
