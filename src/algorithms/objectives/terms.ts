import type * as v from "valibot";
import { ConfigError } from "#core/errors.ts";
import { choiceField, numberField } from "#core/field.ts";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import type { ObjectiveNeed } from "./entry.ts";
import { klEstimate } from "./kl-estimator.ts";
import { aggregate, weighBatch, writeAggregateGradient } from "./token-rows.ts";
import type { TokenRows } from "./token-rows.ts";
import { valueLoss } from "./value.ts";

/** How the token losses of an objective that has no average of its own are put together. */
export const averageFields = {
  aggregation: choiceField(["tokenMean", "sequenceMean", "constant"], {
    title: "Average over",
    help: "All sampled tokens alike (DAPO), every sequence alike (GRPO), or a constant number of tokens a sequence (Dr. GRPO).",
  }),
  constant: numberField({ title: "Constant", help: "Tokens a sequence counts as; used by the constant average alone.", unit: "tokens", min: 1, max: 1024 }),
};

/** Terms that go with any objective. */
export const termFields = {
  entropyCoefficient: numberField({
    title: "Entropy bonus", help: "Times the mean exact entropy. Can run away once the policy gradient is near zero.", min: 0, max: 1,
  }),
  klCoefficient: numberField({ title: "KL to the reference", help: "Times the mean KL(current ‖ policy the run started from).", min: 0, max: 10 }),
  klEstimator: choiceField(["exact", "k1", "k2", "k3"], {
    title: "KL taken as",
    help: "Exact over the legal tokens, or from the sampled token alone: k1 (its gradient is 0 on average), k2 (right on average), k3 (pulls as KL(reference ‖ current) does).",
  }),
  valueCoefficient: numberField({ title: "Value loss", help: "Times half the mean squared error of the value head. Needs a value head.", min: 0, max: 10 }),
};
export type TermConfig = { readonly [K in keyof typeof termFields]: v.InferOutput<(typeof termFields)[K]> };

export const averageDefaults = { aggregation: "tokenMean", constant: 128 } as const;
export const termDefaults = { entropyCoefficient: 0, klCoefficient: 0, klEstimator: "exact", valueCoefficient: 0 } as const;

/** What the terms need beside log-probabilities and entropies. */
export const termNeeds = ({ klCoefficient, valueCoefficient }: TermConfig): readonly ObjectiveNeed[] => [
  ...(klCoefficient > 0 ? (["reference"] as const) : []), ...(valueCoefficient > 0 ? (["valueHead"] as const) : []),
];

/** A part of the loss and its gradient with respect to one statistic, [rows × length]. */
interface Term {
  readonly loss: number;
  readonly gradient: Float32Array;
}

/** @throws ConfigError naming the setting that is in the way. */
function required(values: Float32Array | undefined, knob: keyof TermConfig, what: string): Float32Array {
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

/** Adds coefficient · weight · slope to the gradient with respect to the sampled tokens' log-probabilities. @returns the loss */
function addEstimatedKl(rows: TokenRows, { klCoefficient, klEstimator }: TermConfig, logprobs: Float32Array, reference: Float32Array, dLogprobs: Float32Array): number {
  if (klEstimator === "exact") return 0;
  const { starts, mask, weights } = rows;
  let loss = 0;
  for (let row = 0; row < weights.length; row += 1) {
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      if (mask[index] === 0) continue;
      const { value, slope } = klEstimate(logprobs[index] as number, reference[index] as number, klEstimator);
      const scale = klCoefficient * (weights[row] as number);
      loss += scale * value;
      dLogprobs[index] = (dLogprobs[index] as number) + scale * slope;
    }
  }
  return loss;
}

/** What an objective computed by itself. */
export interface MainLoss {
  readonly loss: number;
  /** [rows × length]; an estimated KL is added to it. */
  readonly dLogprobs: Float32Array;
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * main - entropyCoefficient · entropy + klCoefficient · KL, both averaged as the objective averages its tokens (verl's agg_loss), plus
 * valueCoefficient · value loss, which is a mean over tokens and is not clipped.
 * @throws ConfigError when a term is on whose statistic is missing.
 */
export function withTerms(batch: TrainBatch, stats: TokenStats, config: TermConfig, rows: TokenRows, { loss, dLogprobs, metrics }: MainLoss): TokenGrads {
  const { entropyCoefficient, klCoefficient, klEstimator, valueCoefficient } = config;
  const perToken = weighBatch(batch, "tokenMean", null);
  const entropy = entropyCoefficient === 0 ? null : aggregatedTerm(rows, -entropyCoefficient, stats.entropies);
  const exact = klCoefficient !== 0 && klEstimator === "exact" ? aggregatedTerm(rows, klCoefficient, required(stats.kl, "klCoefficient", "reference policy")) : null;
  const estimated = klCoefficient === 0 || exact !== null ? 0
    : addEstimatedKl(rows, config, stats.logprobs, required(stats.referenceLogprobs, "klCoefficient", "reference policy"), dLogprobs);
  const value = valueCoefficient === 0 ? null : valueTerm(
    perToken, valueCoefficient,
    required(stats.values, "valueCoefficient", "value head"), required(batch.returns, "valueCoefficient", "return to fit"),
  );
  return {
    loss: loss + (entropy?.loss ?? 0) + (exact?.loss ?? 0) + estimated + (value?.loss ?? 0),
    dLogprobs,
    ...(entropy && { dEntropies: entropy.gradient }),
    ...(exact && { dKl: exact.gradient }),
    ...(value && { dValues: value.gradient }),
    metrics: { ...metrics, meanEntropy: aggregate(perToken, stats.entropies) },
  };
}
