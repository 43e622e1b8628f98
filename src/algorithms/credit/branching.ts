import * as v from "valibot";
import { integerField } from "#core/field.ts";
import { mean, populationStd } from "#core/statistics.ts";
import { turnRewards } from "#algorithms/returns.ts";
import { whiten } from "#algorithms/whiten.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { whitenField } from "./fields.ts";
import { given } from "./given.ts";
import { creditBatch } from "./scorable.ts";

const schema = v.strictObject({
  branches: integerField({ title: "Branches K", help: "Fresh continuations from every turn's state, hidden part included.", min: 1, max: 64 }),
  whiten: whitenField,
});

export interface BranchValues {
  readonly values: number[];
  readonly advantages: number[];
  /** Population std/√K; null without continuations. */
  readonly standardErrors: (number | null)[];
}

/**
 * V_t = mean return of the continuations from turn t on (none: r_t + V_next, filled in backwards); A_t = r_t + V_next - V_t, V = 0 behind
 * the last turn, so that the advantages sum to the return minus V_0. The state restored includes what the policy cannot see: this is the
 * value given the hidden state, which pays lucky guesses.
 * @param continuationReturns [turns][K] undiscounted, from turn t on. @param rewards [turns]
 * Source: VinePPO, arXiv 2410.01679, equation 8; algorithms.md, section 9.
 */
export function branchValues(continuationReturns: readonly ArrayLike<number>[], rewards: readonly number[]): BranchValues {
  const values = rewards.map(() => 0);
  const next = (turn: number): number => values[turn + 1] ?? 0;
  for (let turn = rewards.length - 1; turn >= 0; turn -= 1) {
    const returns = continuationReturns[turn] ?? [];
    values[turn] = returns.length === 0 ? (rewards[turn] as number) + next(turn) : mean(returns);
  }
  return {
    values,
    advantages: rewards.map((reward, turn) => reward + next(turn) - (values[turn] as number)),
    standardErrors: rewards.map((_, turn) => {
      const returns = continuationReturns[turn] ?? [];
      return returns.length === 0 ? null : populationStd(returns) / Math.sqrt(returns.length);
    }),
  };
}

/** Credit of VinePPO: skill and luck together. Its mean and deviation are over the turns of the batch. */
export const branching: CreditEntry<typeof schema> = {
  id: "branching",
  title: "Branching (VinePPO, given the hidden state)",
  needs: ["branchReturns"],
  schema,
  defaults: { branches: 4, whiten: true },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditBatch(groups, (placed) => {
    const made = placed.map(({ member }) => branchValues(given(member.branchReturns, "branching", "branchReturns"), turnRewards(member.rewards)).advantages);
    const all = Float64Array.from(made.flat());
    const credits = (config.whiten ? whiten(all) : all).values();
    return made.map((advantages) => ({ perTurn: Float32Array.from(advantages, () => credits.next().value as number) }));
  });
