import * as v from "valibot";
import { numberField } from "#core/field.ts";
import type { RewardEntry, Score } from "./entry.ts";
import { modelScoresOf } from "./model-scores.ts";
import { comparedField, judgeFields } from "./network-fields.ts";

const schema = v.strictObject({
  check: comparedField,
  ...judgeFields,
  beta: numberField({ title: "β", help: "Times the log ratio of the implicit reward model and the policy it started as.", min: 0, max: 10 }),
});

/**
 * β · log ratio of a language model, fitted to outcomes alone, to the policy it started as, summed over each turn: a reward for every turn
 * that no one labelled, and none at the end. Source: free process rewards, arXiv 2412.01981; PRIME, arXiv 2502.01456; algorithms.md, section 5.1.
 */
export const implicit: RewardEntry<typeof schema> = {
  id: "implicit",
  title: "Implicit (log ratio)",
  trust: "implicit",
  needs: ["modelScores"],
  schema,
  defaults: { check: "success", practiceGroups: 256, comparedUpdates: 5000, networkLearningRate: 1e-3, networkSteps: 1, beta: 0.05 },
};

export const score: Score<typeof schema> = (groups) =>
  groups.map(({ members }) => members.map((member) => ({ perTurn: modelScoresOf(member, "implicit"), terminal: 0 })));
