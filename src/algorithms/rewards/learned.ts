import * as v from "valibot";
import { numberField } from "#core/field.ts";
import type { RewardEntry, Score } from "./entry.ts";
import { modelScoresOf } from "./model-scores.ts";
import { comparedField, judgeFields } from "./network-fields.ts";

const schema = v.strictObject({
  check: comparedField,
  ...judgeFields,
  centreCoefficient: numberField({ title: "Centring", help: "Times the mean square of a pair's summed scores: keeps scores around 0 (TRL: 0.01).", min: 0, max: 1 }),
});

/**
 * RLHF's shape: what a reward model, fitted to which of two trajectories of a group is better, says of the finished trajectory. Comparisons
 * are made by the verdict, so that what the model got wrong can be seen. Source: Bradley and Terry (1952); arXiv 2203.02155, section 3.5;
 * RewardTrainer of TRL; algorithms.md, section 7.
 */
export const learned: RewardEntry<typeof schema> = {
  id: "learned",
  title: "Learned (Bradley-Terry)",
  trust: "learned",
  needs: ["modelScores"],
  schema,
  defaults: { check: "success", practiceGroups: 256, comparedUpdates: 5000, networkLearningRate: 1e-3, networkSteps: 4, centreCoefficient: 0.01 },
};

export const score: Score<typeof schema> = (groups) =>
  groups.map(({ members }) =>
    members.map((member) => ({ perTurn: new Float32Array(member.trajectory.turns.length), terminal: modelScoresOf(member, "learned").at(-1) ?? 0 })));
