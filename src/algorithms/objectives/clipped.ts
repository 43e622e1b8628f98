import * as v from "valibot";
import { ConfigError } from "#core/errors.ts";
import { choiceField, numberField } from "#core/field.ts";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import { clippedLoss } from "./clipped-loss.ts";
import type { ClipRange } from "./clipped-loss.ts";
import type { ObjectiveEntry } from "./entry.ts";
import { aggregate, weighBatch, writeAggregateGradient } from "./token-rows.ts";
import type { TokenRows } from "./token-rows.ts";
import { valueLoss } from "./value.ts";

const dualClipNote = { title: "Dual clip", help: "Bounds the loss of a token with a negative advantage at c · |A|; null is off, verl uses 3." };
const schema = v.strictObject({
  aggregation: choiceField(["tokenMean", "sequenceMean", "constant"], {
    title: "Average over",
    help: "All sampled tokens alike (DAPO), every sequence alike (GRPO), or a constant number of tokens a sequence (Dr. GRPO).",
  }),
  constant: numberField({ title: "Constant", help: "Tokens a sequence counts as; used by the constant average alone.", unit: "tokens", min: 1, max: 1024 }),
  dualClip: v.pipe(v.nullable(numberField({ ...dualClipNote, min: 1.01, max: 100 })), v.metadata(dualClipNote)),
  entropyCoefficient: numberField({
    title: "Entropy bonus", help: "Times the mean exact entropy. Can run away once the policy gradient is near zero.", min: 0, max: 1,
  }),
  klCoefficient: numberField({ title: "KL to the reference", help: "Times the mean exact KL(current ‖ policy the run started from).", min: 0, max: 10 }),
  valueCoefficient: numberField({ title: "Value loss", help: "Times half the mean squared error of the value head. Needs a value head.", min: 0, max: 10 }),
});
type ClippedConfig = v.InferOutput<typeof schema>;

/** A part of the loss and its gradient with respect to one statistic, [rows × length]. */
interface Term {
  readonly loss: number;
  readonly gradient: Float32Array;
}

function required(values: Float32Array | undefined, knob: keyof ClippedConfig, what: string): Float32Array {
  if (values !== undefined) return values;
  throw new ConfigError(`algorithm.objective.${knob} is not 0, but there is no ${what}; allowed: 0`, { path: `algorithm.objective.${knob}` });
}

/** coefficient · aggregate(values) */
function aggregatedTerm(rows: TokenRows, coefficient: number, values: Float32Array): Term {
  const gradient = new Float32Array(values.length);
  writeAggregateGradient(rows, coefficient, gradient);
  return { loss: coefficient * aggregate(rows, values), gradient };
}

function valueTerm(rows: TokenRows, coefficient: number, values: Float32Array, returns: Float32Array): Term {
  const gradient = new Float32Array(values.length);
  const { loss } = valueLoss(rows, { values, oldValues: values, returns }, null, gradient);
  return { loss: coefficient * loss, gradient: gradient.map((slope) => coefficient * slope) };
}

/**
 * Clipped loss - entropyCoefficient · entropy + klCoefficient · KL, all three averaged the same way (verl's agg_loss), plus
 * valueCoefficient · value loss, which is a mean over tokens and is not clipped.
 */
function evaluate(batch: TrainBatch, stats: TokenStats, config: ClippedConfig & ClipRange): TokenGrads {
  const rows = weighBatch(batch, config.aggregation, config.constant);
  const perToken = weighBatch(batch, "tokenMean", null);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const policy = { logprobs: stats.logprobs, oldLogprobs: batch.behaviorLogprobs, advantages: batch.advantages };
  const { loss, ...metrics } = clippedLoss(rows, policy, config, dLogprobs);

  const { entropyCoefficient, klCoefficient, valueCoefficient } = config;
  const entropy = entropyCoefficient === 0 ? null : aggregatedTerm(rows, -entropyCoefficient, stats.entropies);
  const kl = klCoefficient === 0 ? null : aggregatedTerm(rows, klCoefficient, required(stats.kl, "klCoefficient", "reference policy"));
  const value = valueCoefficient === 0 ? null : valueTerm(
    perToken, valueCoefficient,
    required(stats.values, "valueCoefficient", "value head"), required(batch.returns, "valueCoefficient", "return to fit"),
  );
  return {
    loss: loss + (entropy?.loss ?? 0) + (kl?.loss ?? 0) + (value?.loss ?? 0),
    dLogprobs,
    ...(entropy && { dEntropies: entropy.gradient }),
    ...(kl && { dKl: kl.gradient }),
    ...(value && { dValues: value.gradient }),
    metrics: { ...metrics, meanEntropy: aggregate(perToken, stats.entropies) },
  };
}

/** PPO's clipped surrogate with the terms that usually go with it. Defaults: algorithms.md, section 16. */
export const clipped: ObjectiveEntry<typeof schema> = {
  id: "clipped",
  title: "Clipped (PPO, GRPO)",
  schema,
  defaults: { aggregation: "tokenMean", constant: 128, dualClip: null, entropyCoefficient: 0, klCoefficient: 0, valueCoefficient: 0 },
  evaluate,
};
