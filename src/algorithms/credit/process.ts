import * as v from "valibot";
import type { Scored } from "#core/credit.ts";
import { discountedReturns, turnRewards } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { centringField, epsField, gammaField, stdField } from "./fields.ts";
import { groupAdvantage } from "./flat.ts";
import type { GroupAdvantage } from "./flat.ts";
import { creditGroups, perTurn } from "./scorable.ts";

export const processSchema = v.strictObject({ gamma: gammaField, centring: centringField, std: stdField, eps: epsField });

export interface ProcessReturns extends Omit<GroupAdvantage, "leaveOneOut"> {
  readonly gamma: number;
  readonly centring: "none" | "pooled" | "perTurnIndex" | "immediatePerTurnIndex";
}

/** Lists of numbers with each number centred among those that `keyOf` puts together with it; 0 alone or where they are equal. */
export function centreAmong(lists: readonly (readonly number[])[], keyOf: (list: number, turn: number) => string | number, settings: Omit<GroupAdvantage, "leaveOneOut">): number[][] {
  const peers = new Map<string | number, [number, number][]>();
  for (const [list, values] of lists.entries()) {
    for (const turn of values.keys()) {
      const key = keyOf(list, turn);
      peers.set(key, [...(peers.get(key) ?? []), [list, turn]]);
    }
  }
  const centred = lists.map((values) => values.map(() => 0));
  for (const places of peers.values()) {
    const advantages = groupAdvantage(places.map(([list, turn]) => (lists[list] as readonly number[])[turn] as number), { ...settings, leaveOneOut: false });
    for (const [index, [list, turn]] of places.entries()) (centred[list] as number[])[turn] = advantages[index] as number;
  }
  return centred;
}

/**
 * G_t = r_t + gamma·G_(t+1), each as (G - mean)/(std + eps, or 1 without std): pooled over all turns of the group, or per turn index
 * over the trajectories still running then. `immediatePerTurnIndex` is a BIASED counter-example: it centres r_t per turn index and
 * sums afterwards, so that how often a baseline is taken off depends on when the trajectory stopped, and going on costs.
 * @param rewards [G][turns]
 * Source: Kevin, arXiv 2507.11948; the bias, verl issue 7244; algorithms.md, section 4.5.
 */
export function processReturns(
  rewards: readonly (readonly number[])[], { gamma, centring, ...settings }: ProcessReturns,
): { readonly returns: number[][]; readonly advantages: number[][] } {
  const returns = rewards.map((list) => discountedReturns(list, gamma));
  if (centring === "none") return { returns, advantages: returns };
  if (centring === "pooled") return { returns, advantages: centreAmong(returns, () => 0, settings) };
  if (centring === "perTurnIndex") return { returns, advantages: centreAmong(returns, (_, turn) => turn, settings) };
  return { returns, advantages: centreAmong(rewards, (_, turn) => turn, settings).map((list) => discountedReturns(list, gamma)) };
}

const rewardsOf = (members: readonly Scored[]): number[][] => members.map(({ rewards }) => turnRewards(rewards));

/** What a turn led to in its own trajectory, against the others: says something new only where turns are paid (the shaped reward). */
export const process: CreditEntry<typeof processSchema> = {
  id: "process",
  title: "Process reward (return-to-go)",
  needs: [],
  schema: processSchema,
  defaults: { gamma: 1, centring: "perTurnIndex", std: "population", eps: 1e-4 },
};

export const assign: Assign<typeof processSchema> = (groups, config) => creditGroups(groups, (members) => processReturns(rewardsOf(members), config).advantages.map(perTurn));
