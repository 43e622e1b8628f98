import * as v from "valibot";
import type { TurnRewards } from "#core/credit.ts";
import { numberField } from "#core/field.ts";
import type { RewardEntry, Score } from "./entry.ts";

const schema = v.strictObject({
  rate: numberField({ title: "Rate", help: "Share of trajectories that are paid, whatever they did.", min: 0, max: 1 }),
});

/**
 * 1 with probability `rate`, else 0. @param draw uniform in [0, 1).
 * Source: random_reward_fn of Spurious Rewards, arXiv 2506.10947; algorithms.md, section 7.
 */
export const randomReward = (draw: () => number, rate: number, count: number): number[] => Array.from({ length: count }, () => (draw() < rate ? 1 : 0));

/** Control: a reward that knows nothing. What still improves under it was not learnt from the reward. */
export const coinFlip: RewardEntry<typeof schema> = {
  id: "coin-flip",
  title: "Coin flip (control)",
  trust: "control",
  needs: [],
  schema,
  defaults: { rate: 0.5 },
};

export const score: Score<typeof schema> = (groups, { rate }, rng) =>
  groups.map(({ groupId, members }) => {
    const draws = rng.fork(`group/${groupId}`);
    const rewards = randomReward(() => draws.next(), rate, members.length);
    return members.map(({ trajectory }, index): TurnRewards => ({ perTurn: new Float32Array(trajectory.turns.length), terminal: rewards[index] as number }));
  });
