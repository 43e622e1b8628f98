import * as v from "valibot";
import { numberField } from "#core/field.ts";
import { sampledIn } from "#algorithms/masked-rows.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import { whiten } from "#algorithms/whiten.ts";
import { actionTokens, scatter } from "./action-tokens.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { creditBatch } from "./scorable.ts";

const schema = v.strictObject({
  gamma: numberField({ title: "Discount γ per token", help: "What a reward one sampled token later is worth.", min: 0, max: 1 }),
});

export interface TokenAdvantages {
  /** Per token; 0 where not sampled. */
  readonly returns: Float64Array;
  readonly advantages: Float64Array;
}

/**
 * G_t = r_t + gamma·G_next over the sampled tokens: what was only read gets 0, passes G on undiscounted, and its reward is not read.
 * The advantages are the whitened returns.
 * Source: REINFORCE++, arXiv 2501.03262; the recursion across observations as in verl PR 7300; algorithms.md, section 1.3.
 */
export function reinforcePlusPlus(rows: MaskedRows, tokenRewards: ArrayLike<number>, gamma: number): TokenAdvantages {
  const returns = new Float64Array(rows.mask.length);
  for (let row = 0; row + 1 < rows.starts.length; row += 1) {
    let next = 0;
    for (const index of sampledIn(rows, row).toReversed()) {
      next = (tokenRewards[index] as number) + gamma * next;
      returns[index] = next;
    }
  }
  return { returns, advantages: whiten(returns, rows.mask) };
}

/** Credit per token: whitening is over tokens, so a long turn weighs more in the mean. */
export const reinforcePlusPlusScheme: CreditEntry<typeof schema> = {
  id: "reinforce-plus-plus",
  title: "REINFORCE++",
  needs: [],
  schema,
  defaults: { gamma: 1 },
};

export const assign: Assign<typeof schema> = (groups, { gamma }) =>
  creditBatch(groups, (placed) => {
    const members = placed.map(({ member }) => member);
    const tokens = actionTokens(members);
    return scatter(members, reinforcePlusPlus(tokens, tokens.rewards, gamma).advantages).map((perToken) => ({ perToken }));
  });
