import * as v from "valibot";
import { ConfigError } from "#core/errors.ts";
import { numberField } from "#core/field.ts";
import type { TrainBatch } from "#core/objective.ts";
import { sigmoid, softplus } from "#algorithms/logistic.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import { driftOf } from "./drift.ts";
import type { Evaluate, ObjectiveEntry } from "./entry.ts";
import { termDefaults, termFields, termNeeds, withTerms } from "./terms.ts";
import { weighBatch } from "./token-rows.ts";
import type { PerToken, PerTokenOut } from "./token-rows.ts";

const schema = v.strictObject({
  beta: numberField({ title: "β", help: "How strongly the policy is held to the one the run started from; small lets it go far.", min: 0.001, max: 10 }),
  ...termFields,
});

export interface PairRows extends MaskedRows {
  /** [rows] which trajectory a row belongs to: its sums go over all of its rows. */
  readonly trajectoryOfRow: ArrayLike<number>;
  readonly pairs: TrainBatch["pairs"];
}
export interface DpoLoss {
  readonly loss: number;
  /** [trajectories] beta·Σ (logprob - reference), 0 without rows. */
  readonly rewards: Float64Array;
  /** Share of pairs in the right order. */
  readonly accuracy: number;
}

/**
 * Mean over pairs of -log sigmoid(reward of the chosen - reward of the rejected), reward = beta·Σ over the sampled tokens of
 * (logprob - reference): sums, not means, and what was only read is masked in policy and reference alike. No pair: 0.
 * @param gradLogprobs receives dLoss/dlogprob.
 * Source: DPO, arXiv 2305.18290, equation 7; over several turns, arXiv 2403.02502 (ETO); algorithms.md, section 6.
 */
export function dpoLoss({ starts, mask, trajectoryOfRow, pairs }: PairRows, logprobs: PerToken, reference: PerToken, beta: number, gradLogprobs: PerTokenOut): DpoLoss {
  const trajectories = [...Array.from(trajectoryOfRow), ...pairs.flatMap(({ chosen, rejected }) => [chosen, rejected])].reduce((most, index) => Math.max(most, index + 1), 0);
  const [rewards, slopes] = [new Float64Array(trajectories), new Float64Array(trajectories)];
  const eachToken = (visit: (index: number, trajectory: number) => void): void => {
    for (const [row, trajectory] of Array.from(trajectoryOfRow).entries()) {
      for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) if (mask[index] !== 0) visit(index, trajectory);
    }
  };
  eachToken((index, trajectory) => {
    rewards[trajectory] = (rewards[trajectory] as number) + beta * ((logprobs[index] as number) - (reference[index] as number));
  });
  let [loss, ordered] = [0, 0];
  for (const { chosen, rejected } of pairs) {
    const margin = (rewards[chosen] as number) - (rewards[rejected] as number);
    loss += softplus(-margin) / pairs.length;
    if (margin > 0) ordered += 1;
    const pull = sigmoid(-margin) / pairs.length;
    slopes[chosen] = (slopes[chosen] as number) - pull;
    slopes[rejected] = (slopes[rejected] as number) + pull;
  }
  gradLogprobs.fill(0);
  eachToken((index, trajectory) => {
    gradLogprobs[index] = beta * (slopes[trajectory] as number);
  });
  return { loss, rewards, accuracy: ordered / Math.max(1, pairs.length) };
}

/** Pairs are all of a group whose returns differ. Reads returns, not credit; groups of equal returns have no pair. */
export const dpo: ObjectiveEntry<typeof schema> = {
  id: "dpo",
  title: "DPO (pairs of whole trajectories)",
  needs: (config) => [...new Set(["reference" as const, ...termNeeds(config)])],
  schema,
  defaults: { beta: 0.1, ...termDefaults },
};

export const evaluate: Evaluate<typeof schema> = (batch, stats, config) => {
  if (stats.referenceLogprobs === undefined) throw new ConfigError('algorithm.objective is "dpo", but there is no reference policy', { path: "algorithm.objective" });
  const rows = weighBatch(batch, "tokenMean", null);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const { loss, accuracy } = dpoLoss({ ...batch, starts: rows.starts }, stats.logprobs, stats.referenceLogprobs, config.beta, dLogprobs);
  return withTerms(batch, stats, config, rows, { loss, dLogprobs, metrics: { pairAccuracy: accuracy, ...driftOf(rows, stats.logprobs, batch.behaviorLogprobs) } });
};
