import * as v from "valibot";
import type { Scored } from "#core/credit.ts";
import { numberField } from "#core/field.ts";
import { returnOf } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { epsField } from "./fields.ts";
import { groupAdvantage } from "./flat.ts";
import { creditGroups, perTurn } from "./scorable.ts";

const schema = v.strictObject({
  coefficient: numberField({ title: "Turn coefficient", help: "Times the advantage of the rewards up to the first tool result.", min: 0, max: 10 }),
  eps: epsField,
});

const advantage = (values: readonly number[], eps: number): number[] => groupAdvantage(values, { std: "sample", eps, leaveOneOut: false });

/**
 * a(x) = (x - mean)/(sample std + eps). After the first tool result a(outcome); before it a(outcome) + coefficient·a(turn).
 * @param turn [G] @param outcome [G]
 * Source: MT-GRPO, arXiv 2505.11821, section 4.2; mt_grpo_env_trainer.py of Multi-Turn-RL-Agent; algorithms.md, section 4.5.
 */
export function mtGrpo(
  turn: readonly number[], outcome: readonly number[], coefficient: number, eps: number,
): { readonly beforeFirstResult: number[]; readonly afterFirstResult: number[] } {
  const ofTurn = advantage(turn, eps);
  const afterFirstResult = advantage(outcome, eps);
  return { beforeFirstResult: afterFirstResult.map((value, index) => value + coefficient * (ofTurn[index] as number)), afterFirstResult };
}

/** Turns up to the one that got the first tool result; -1 where no tool was called. */
const firstCall = ({ trajectory }: Scored): number => trajectory.turns.findIndex(({ action }) => action.kind === "tool");

/**
 * The turn reward is what the turns up to the first tool result were paid, the outcome all the rest. A trajectory that never called a
 * tool has no such boundary: all its turns get the advantage of outcome + coefficient·turn, as in the released code.
 */
export const mtGrpoScheme: CreditEntry<typeof schema> = {
  id: "mt-grpo",
  title: "MT-GRPO (before and after the first tool result)",
  needs: [],
  schema,
  defaults: { coefficient: 1, eps: 1e-4 },
};

export const assign: Assign<typeof schema> = (groups, { coefficient, eps }) =>
  creditGroups(groups, (members) => {
    const early = members.map((member) => member.rewards.perTurn.subarray(0, firstCall(member) + 1).reduce((sum, reward) => sum + reward, 0));
    const outcome = members.map((member, index) => (returnOf(member) as number) - (early[index] as number));
    const { beforeFirstResult, afterFirstResult } = mtGrpo(early, outcome, coefficient, eps);
    const combined = advantage(outcome.map((reward, index) => reward + coefficient * (early[index] as number)), eps);
    return members.map((member, index) => {
      const boundary = firstCall(member);
      return perTurn(member.trajectory.turns.map((_, turn) =>
        (boundary < 0 ? combined : turn <= boundary ? beforeFirstResult : afterFirstResult)[index] as number));
    });
  });
