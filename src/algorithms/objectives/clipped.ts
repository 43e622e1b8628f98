import * as v from "valibot";
import { numberField } from "#core/field.ts";
import { clippedLoss } from "./clipped-loss.ts";
import { deviceForm } from "./device-form.ts";
import type { Evaluate, ObjectiveEntry, OnDevice } from "./entry.ts";
import { averageDefaults, averageFields, termDefaults, termFields, termNeeds, withTerms } from "./terms.ts";
import { weighBatch } from "./token-rows.ts";

const dualClipNote = { title: "Dual clip", help: "Bounds the loss of a token with a negative advantage at c · |A|; null is off, verl uses 3." };
const schema = v.strictObject({
  ...averageFields,
  dualClip: v.pipe(v.nullable(numberField({ ...dualClipNote, min: 1.01, max: 100 })), v.metadata(dualClipNote)),
  ...termFields,
});

/** PPO's clipped surrogate with the terms that usually go with it. Defaults: algorithms.md, section 16. */
export const clipped: ObjectiveEntry<typeof schema> = {
  id: "clipped",
  title: "Clipped (PPO, GRPO)",
  needs: termNeeds,
  schema,
  defaults: { ...averageDefaults, dualClip: null, ...termDefaults },
};

export const evaluate: Evaluate<typeof schema> = (batch, stats, config) => {
  const rows = weighBatch(batch, config.aggregation, config.constant);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const policy = { logprobs: stats.logprobs, oldLogprobs: batch.behaviorLogprobs, advantages: batch.advantages };
  const { loss, ...metrics } = clippedLoss(rows, policy, config, dLogprobs);
  return withTerms(batch, stats, config, rows, { loss, dLogprobs, metrics });
};

export const onDevice: OnDevice<typeof schema> = (batch, config) => {
  const { clipLow, clipHigh, dualClip } = config;
  const rows = weighBatch(batch, config.aggregation, config.constant);
  return deviceForm(batch, config, rows, { surrogate: "ratio", clipLow, clipHigh, dualClip, advantages: batch.advantages, reports: "clipping" });
};
