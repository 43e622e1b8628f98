import * as v from "valibot";
import { ConfigError } from "#core/errors.ts";
import { choiceField } from "#core/field.ts";
import type { TrainBatch } from "#core/objective.ts";
import { isConstant } from "#core/statistics.ts";
import { deviceForm, PLAIN } from "./device-form.ts";
import { driftOf } from "./drift.ts";
import type { Evaluate, ObjectiveEntry, OnDevice } from "./entry.ts";
import { policyGradientLoss } from "./reinforce.ts";
import { termDefaults, termFields, termNeeds, withTerms } from "./terms.ts";
import { weighBatch } from "./token-rows.ts";

const schema = v.strictObject({
  selection: choiceField(["raft", "reinforceRej", "bestOfN"], {
    title: "Imitate",
    help: "raft: what was paid, as much as it was paid. reinforceRej: the same and shun what cost, in groups of mixed outcome only. bestOfN: the first best of each group, if it was paid.",
  }),
  ...termFields,
});

export interface RaftSelection {
  /** [tasks][n] */
  readonly raft: number[][];
  readonly reinforceRej: number[][];
  /** [tasks] index of the first largest reward; null where that is not positive. */
  readonly bestOfN: (number | null)[];
}

/**
 * Which samples are imitated, and how much: raft max(r, 0); reinforceRej r, 0 in a group of equal rewards; bestOfN the first best alone.
 * @param rewards [tasks][n]; null = a failed rollout, never imitated.
 * Source: RAFT, arXiv 2304.06767; Reinforce-rej, arXiv 2504.11343; algorithms.md, section 6.
 */
export function raftSelection(rewards: readonly (readonly (number | null)[])[]): RaftSelection {
  return {
    raft: rewards.map((list) => list.map((reward) => Math.max(reward ?? 0, 0))),
    reinforceRej: rewards.map((list) => {
      const constant = isConstant(list.filter((reward) => reward !== null));
      return list.map((reward) => (constant ? 0 : (reward ?? 0)));
    }),
    bestOfN: rewards.map((list) => {
      const best = Math.max(0, ...list.map((reward) => reward ?? 0));
      return best > 0 ? list.indexOf(best) : null;
    }),
  };
}

/** [trajectories] how much each is imitated. */
function imitated(groupReturns: readonly (readonly (number | null)[])[], selection: v.InferOutput<typeof schema>["selection"]): number[] {
  const { bestOfN, ...weights } = raftSelection(groupReturns);
  if (selection !== "bestOfN") return weights[selection].flat();
  return groupReturns.flatMap((list, group) => list.map((_, member) => (bestOfN[group] === member ? 1 : 0)));
}

/**
 * Imitation of the policy's own successes: masked cross-entropy, weighed per trajectory, over all sampled tokens of the batch. Reads
 * returns, not credit; but groups without credit do not reach it, so a scheme that pays every success (REINFORCE without baseline) belongs to it.
 */
export const raft: ObjectiveEntry<typeof schema> = {
  id: "raft",
  title: "Rejection-sampling fine-tuning (RAFT)",
  needs: termNeeds,
  schema,
  defaults: { selection: "raft", ...termDefaults },
};

/** The same per token, [rows × length]. @throws ConfigError without returns */
function imitatedTokens({ rows, length, trajectoryOfRow, groupReturns }: TrainBatch, selection: v.InferOutput<typeof schema>["selection"]): Float32Array {
  if (groupReturns === undefined) throw new ConfigError('algorithm.objective is "raft", which needs returns; demonstrations have none', { path: "algorithm.objective" });
  const weights = imitated(groupReturns, selection);
  return new Float32Array(rows * length).map((_, index) => weights[trajectoryOfRow[Math.floor(index / length)] as number] as number);
}

export const evaluate: Evaluate<typeof schema> = (batch, stats, config) => {
  const rows = weighBatch(batch, "tokenMean", null);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const loss = policyGradientLoss(rows, stats.logprobs, imitatedTokens(batch, config.selection), dLogprobs);
  return withTerms(batch, stats, config, rows, { loss, dLogprobs, metrics: driftOf(rows, stats.logprobs, batch.behaviorLogprobs) });
};

export const onDevice: OnDevice<typeof schema> = (batch, config) =>
  deviceForm(batch, config, weighBatch(batch, "tokenMean", null), { ...PLAIN, advantages: imitatedTokens(batch, config.selection), reports: "drift" });
