import * as v from "valibot";
import type { Assign, CreditEntry } from "./entry.ts";
import { given } from "./given.ts";
import { creditGroups, perTurn } from "./scorable.ts";

const schema = v.strictObject({});

/**
 * skill = Q(h_t, a_t) - V(h_t), luck = V(h_(t+1)) - Q(h_t, a_t), with the outcome in place of V behind the last turn, so that
 * start + Σ skill + Σ luck = outcome.
 * @param values [turns] V(h_t). @param actionValues [turns] Q(h_t, a_t). Both are expectations of what `outcome` is a draw of.
 * Source: architecture.md, decision 5; algorithms.md, section 9.
 */
export function truthSplit(
  values: readonly number[], actionValues: readonly number[], outcome: number,
): { readonly start: number; readonly skill: number[]; readonly luck: number[] } {
  return {
    start: values[0] ?? outcome,
    skill: actionValues.map((value, turn) => value - (values[turn] as number)),
    luck: actionValues.map((value, turn) => (values[turn + 1] ?? outcome) - value),
  };
}

/** Pays skill, what the choice was worth given what the policy saw; luck belongs to nobody. */
export const truth: CreditEntry<typeof schema> = {
  id: "truth",
  title: "Truth (skill given the history)",
  needs: ["truth"],
  schema,
  defaults: {},
};

export const assign: Assign<typeof schema> = (groups) => creditGroups(groups, (members) => members.map((member) => perTurn(given(member.truth, "truth", "truth").skill)));
