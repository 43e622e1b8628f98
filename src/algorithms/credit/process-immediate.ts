import * as v from "valibot";
import { turnRewards } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { epsField, gammaField, stdField } from "./fields.ts";
import { processReturns } from "./process.ts";
import { creditGroups, perTurn } from "./scorable.ts";

const schema = v.strictObject({ gamma: gammaField, std: stdField, eps: epsField });

/** A counter-example, to be seen failing: see `processReturns`. */
export const processImmediate: CreditEntry<typeof schema> = {
  id: "process-immediate",
  title: "Process reward, centred too early (biased)",
  needs: [],
  schema,
  defaults: { gamma: 1, std: "population", eps: 1e-4 },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditGroups(groups, (members) => {
    const rewards = members.map((member) => turnRewards(member.rewards));
    return processReturns(rewards, { ...config, centring: "immediatePerTurnIndex" }).advantages.map(perTurn);
  });
