import * as v from "valibot";
import { booleanField, choiceField, numberField } from "#core/field.ts";
import { isConstant, mean, populationStd, sampleStd } from "#core/statistics.ts";
import { returnOf } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";

const schema = v.strictObject({
  std: choiceField(["population", "sample", "none"], {
    title: "Divide by",
    help: "Standard deviation of the group's rewards: population (÷ N), sample (÷ (N - 1), as in verl and TRL), or none (Dr. GRPO).",
  }),
  eps: numberField({ title: "ε", help: "Added to the standard deviation; bounds how far a tiny spread is blown up.", min: 0, max: 1 }),
  leaveOneOut: booleanField({ title: "Leave one out", help: "Compare each trajectory with the mean of the others instead of the mean of all." }),
});
export type GroupAdvantage = v.InferOutput<typeof schema>;

/**
 * Group-relative advantage (r - mean) · (n/(n - 1) if leaveOneOut) / (std + eps, or 1 without std) over the n scorable rewards.
 * Exactly 0 for an unscorable reward (null), fewer than two scorable ones and a constant group.
 * @returns [G]
 * Source: GRPO, arXiv 2402.03300, section 4.1.2; leave-one-out, arXiv 2402.14740; without std, arXiv 2503.20783.
 */
export function groupAdvantage(rewards: readonly (number | null)[], { std, eps, leaveOneOut }: GroupAdvantage): number[] {
  const scorable = rewards.filter((reward) => reward !== null);
  if (isConstant(scorable)) return rewards.map(() => 0);
  const baseline = mean(scorable);
  const others = leaveOneOut ? scorable.length / (scorable.length - 1) : 1;
  const spread = std === "none" ? 1 : (std === "population" ? populationStd : sampleStd)(scorable) + eps;
  return rewards.map((reward) => (reward === null ? 0 : ((reward - baseline) * others) / spread));
}

/** GRPO's credit. Defaults: algorithms.md, section 16. */
export const flat: CreditEntry<typeof schema> = {
  id: "flat",
  title: "Flat (group-relative)",
  needs: [],
  schema,
  defaults: { std: "population", eps: 1e-4, leaveOneOut: false },
};

/** The same credit for every turn of a trajectory: its return against those of its group. */
export const assign: Assign<typeof schema> = (groups, settings) =>
  groups.map(({ members }) => {
    const advantages = groupAdvantage(members.map(returnOf), settings);
    return members.map(({ trajectory }, member) => ({
      perTurn: new Float32Array(trajectory.turns.length).fill(advantages[member] as number),
    }));
  });
