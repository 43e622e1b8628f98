import * as v from "valibot";
import type { TurnRewards } from "#core/credit.ts";
import { numberField } from "#core/field.ts";
import type { RewardEntry, Score } from "./entry.ts";
import { checkField, passed } from "./verifiable.ts";

const schema = v.strictObject({
  check: checkField,
  falsePositive: numberField({ title: "Pays failures", help: "Share of failures that are paid as successes.", min: 0, max: 1 }),
  falseNegative: numberField({ title: "Misses successes", help: "Share of successes that are not paid.", min: 0, max: 1 }),
});

/** Control: the verdict as a judge sees it who errs by chance, at the same rates for every kind of trajectory. */
export const noisyJudge: RewardEntry<typeof schema> = {
  id: "noisy-judge",
  title: "Noisy judge (control)",
  trust: "control",
  needs: [],
  schema,
  defaults: { check: "success", falsePositive: 0.1, falseNegative: 0.1 },
};

export const score: Score<typeof schema> = (groups, { check, falsePositive, falseNegative }, rng) =>
  groups.map(({ groupId, members }) =>
    members.map((member, index): TurnRewards => {
      const right = passed(member, check);
      const errs = rng.fork(`group/${groupId}/member/${index}`).next() < (right ? falseNegative : falsePositive);
      return { perTurn: new Float32Array(member.trajectory.turns.length), terminal: right === errs ? 0 : 1 };
    }));
