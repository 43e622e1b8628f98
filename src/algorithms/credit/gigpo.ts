import * as v from "valibot";
import { choiceField } from "#core/field.ts";
import { discountedReturns, returnOf, turnRewards } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { epsField, gammaField, omegaField, stdField } from "./fields.ts";
import { centreAmong } from "./process.ts";
import { creditGroups, perTurn } from "./scorable.ts";

const schema = v.strictObject({
  gamma: gammaField,
  omega: omegaField,
  std: stdField,
  eps: epsField,
  episodeStatistics: choiceField(["perTrajectory", "perTurn"], {
    title: "Trajectory statistics", help: "Each return counted once, or once per turn, so that long trajectories weigh more (as first released).",
  }),
});
type Gigpo = v.InferOutput<typeof schema>;

export interface TurnGroup {
  /** [G] */
  readonly trajectoryRewards: readonly number[];
  /** [G][turns] */
  readonly turnRewards: readonly (readonly number[])[];
  /** [G][turns] the state a turn acted on. */
  readonly anchors: readonly (readonly string[])[];
}
export interface GigpoAdvantages {
  readonly returns: number[][];
  /** [G] */
  readonly episode: number[];
  readonly step: number[][];
  readonly total: number[][];
}

/**
 * total = episode + omega·step, both (x - mean)/(std + eps, or 1 without std): the trajectory's reward among those of the group, and the
 * turn's discounted return among those of all turns with an equal anchor, across trajectories and within them.
 * Source: GiGPO, arXiv 2505.10978, equations 3, 6 and 8; verl-agent's core_gigpo.py; algorithms.md, section 4.1.
 */
export function gigpo({ trajectoryRewards, turnRewards: rewards, anchors }: TurnGroup, { gamma, omega, std, eps, episodeStatistics }: Gigpo): GigpoAdvantages {
  const returns = rewards.map((list) => discountedReturns(list, gamma));
  const counted = trajectoryRewards.map((reward, member) => new Array<number>(episodeStatistics === "perTurn" ? (rewards[member] as readonly number[]).length : 1).fill(reward));
  const episode = centreAmong(counted, () => 0, { std, eps }).map(([value]) => value ?? 0);
  const step = centreAmong(returns, (member, turn) => (anchors[member] as readonly string[])[turn] as string, { std, eps });
  const total = step.map((list, member) => list.map((value) => (episode[member] as number) + omega * value));
  return { returns, episode, step, total };
}

/** Discounts below 1 pay for short trajectories: on the refund desk they teach to skip look-ups (learning.md, section 1g); set 1 there. */
export const gigpoScheme: CreditEntry<typeof schema> = {
  id: "gigpo",
  title: "GiGPO (turns that saw the same state)",
  needs: [],
  schema,
  defaults: { gamma: 0.95, omega: 1, std: "population", eps: 1e-6, episodeStatistics: "perTrajectory" },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditGroups(groups, (members) =>
    gigpo({
      trajectoryRewards: members.map((member) => returnOf(member) as number),
      turnRewards: members.map(({ rewards }) => turnRewards(rewards)),
      anchors: members.map(({ trajectory }) => trajectory.turns.map(({ anchorKey }) => anchorKey)),
    }, config).total.map(perTurn));
