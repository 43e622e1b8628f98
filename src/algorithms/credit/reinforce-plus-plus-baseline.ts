import * as v from "valibot";
import { sampledIn } from "#algorithms/masked-rows.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import { returnOf } from "#algorithms/returns.ts";
import { whiten } from "#algorithms/whiten.ts";
import { actionTokens } from "./action-tokens.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { groupAdvantage } from "./flat.ts";
import { creditBatch, perTrajectory } from "./scorable.ts";

const schema = v.strictObject({});

/**
 * c = R - mean of the row's group (0 in a group of one), given to the row's sampled tokens and whitened over the batch.
 * @param rewards [B] one a row. @param groups [B] which group a row belongs to.
 * Source: REINFORCE++-baseline, arXiv 2501.03262, as in verl; algorithms.md, section 1.3.
 */
export function reinforcePlusPlusBaseline(
  rows: MaskedRows, rewards: readonly number[], groups: readonly number[],
): { readonly centred: readonly number[]; readonly advantages: Float64Array } {
  const centred = new Array<number>(rewards.length).fill(0);
  for (const group of new Set(groups)) {
    const peers = [...groups.keys()].filter((row) => groups[row] === group);
    const advantages = groupAdvantage(peers.map((row) => rewards[row] as number), { std: "none", eps: 0, leaveOneOut: false });
    for (const [index, row] of peers.entries()) centred[row] = advantages[index] as number;
  }
  const values = new Float64Array(rows.mask.length);
  for (const [row, value] of centred.entries()) for (const index of sampledIn(rows, row)) values[index] = value;
  return { centred, advantages: whiten(values, rows.mask) };
}

/** The same credit for every turn of a trajectory. A trajectory without a turn counts in its group's mean. */
export const reinforcePlusPlusBaselineScheme: CreditEntry<typeof schema> = {
  id: "reinforce-plus-plus-baseline",
  title: "REINFORCE++ with group baseline",
  needs: [],
  schema,
  defaults: {},
};

export const assign: Assign<typeof schema> = (groups) =>
  creditBatch(groups, (placed) => {
    const rows = actionTokens(placed.map(({ member }) => member));
    const { advantages } = reinforcePlusPlusBaseline(rows, placed.map(({ member }) => returnOf(member) as number), placed.map(({ group }) => group));
    return placed.map(({ member }, row) => perTrajectory(member, advantages[rows.starts[row] as number] ?? 0));
  });
