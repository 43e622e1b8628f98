import * as v from "valibot";
import { numberField } from "#core/field.ts";
import { returnOf } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { groupAdvantage } from "./flat.ts";
import { given } from "./given.ts";
import { creditGroups, perTurn } from "./scorable.ts";

const schema = v.strictObject({
  share: numberField({ title: "Share of truth", help: "0 is flat credit, 1 is truth.", min: 0, max: 1, step: 0.05 }),
});

/** (1 - share)·(R - group mean) + share·skill: not divided by a deviation, so that both ends are in units of reward. */
export const dial: CreditEntry<typeof schema> = {
  id: "dial",
  title: "Dial between flat and truth",
  needs: ["truth"],
  schema,
  defaults: { share: 0.5 },
};

export const assign: Assign<typeof schema> = (groups, { share }) =>
  creditGroups(groups, (members) => {
    const flat = groupAdvantage(members.map(returnOf), { std: "none", eps: 0, leaveOneOut: false });
    return members.map((member, index) => {
      const { skill } = given(member.truth, "dial", "truth");
      return perTurn(Float64Array.from(skill, (value) => (1 - share) * (flat[index] as number) + share * value));
    });
  });
