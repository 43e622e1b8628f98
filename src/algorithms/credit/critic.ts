import * as v from "valibot";
import type { Credit, Scored } from "#core/credit.ts";
import { choiceField } from "#core/field.ts";
import { sampledIn } from "#algorithms/masked-rows.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import { turnRewards } from "#algorithms/returns.ts";
import { whiten } from "#algorithms/whiten.ts";
import { actionTokens, gather, scatter } from "./action-tokens.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { atBudgetField, gammaField, lambdaField, networkFields, whitenField } from "./fields.ts";
import { given } from "./given.ts";
import { creditBatch } from "./scorable.ts";

const schema = v.strictObject({
  step: choiceField(["turn", "token"], { title: "A step is", help: "A turn, or every sampled token as in PPO for language models; γ and λ count in steps." }),
  gamma: gammaField,
  lambda: lambdaField,
  whiten: whitenField,
  atBudget: atBudgetField,
  ...networkFields("critic", ", where the policy has no value head"),
});

export interface Chain {
  /** [T] */
  readonly rewards: ArrayLike<number>;
  /** [T] V before each step. */
  readonly values: ArrayLike<number>;
  /** V after the last step: what a truncated episode is bootstrapped with. Not read where the last step ended it. */
  readonly lastValue: number;
  /** [T] 1 where the episode ended by itself after the step; never for truncation. */
  readonly terminatedAfter: ArrayLike<number>;
}
export interface Discounts {
  readonly gamma: number;
  readonly lambda: number;
}

/**
 * delta = r + gamma·V_next - V; A = delta + gamma·lambda·A_next; return = A + V. Behind an ending V_next and A_next are 0.
 * Source: GAE, arXiv 1506.02438, equation 16; algorithms.md, section 2.1.
 */
export function gaeTurns({ rewards, values, lastValue, terminatedAfter }: Chain, { gamma, lambda }: Discounts): { readonly advantages: number[]; readonly returns: number[] } {
  const advantages = new Array<number>(rewards.length).fill(0);
  let nextValue = lastValue;
  let nextAdvantage = 0;
  for (let step = rewards.length - 1; step >= 0; step -= 1) {
    if (terminatedAfter[step] === 1) [nextValue, nextAdvantage] = [0, 0];
    const value = values[step] as number;
    nextAdvantage = (rewards[step] as number) + gamma * nextValue - value + gamma * lambda * nextAdvantage;
    nextValue = value;
    advantages[step] = nextAdvantage;
  }
  return { advantages, returns: advantages.map((advantage, step) => advantage + (values[step] as number)) };
}

/** All per token, 0 where not sampled. */
export interface TokenGae {
  readonly advantages: Float64Array;
  /** What the critic is fitted to; not whitened. */
  readonly returns: Float64Array;
  readonly whitened: Float64Array;
}

/** Fills in what `of` gives for the sampled tokens of each row. */
export function alongRows(rows: MaskedRows, of: (places: readonly number[], row: number) => { readonly advantages: readonly number[]; readonly returns: readonly number[] }): TokenGae {
  const [advantages, returns] = [new Float64Array(rows.mask.length), new Float64Array(rows.mask.length)];
  for (let row = 0; row + 1 < rows.starts.length; row += 1) {
    const places = sampledIn(rows, row);
    const made = of(places, row);
    for (const [step, index] of places.entries()) [advantages[index], returns[index]] = [made.advantages[step] as number, made.returns[step] as number];
  }
  return { advantages, returns, whitened: whiten(advantages, rows.mask) };
}

export const pick = (values: ArrayLike<number>, places: readonly number[]): number[] => places.map((index) => values[index] as number);

/**
 * `gaeTurns` over the sampled tokens of each row as if the others were not there: no value, discount or error of a token that was only read.
 * @param values the critic's output at the position before the token. @param lastValues [rows], 0 where the episode ended by itself.
 * Source: compute_gae_advantage_return of verl; algorithms.md, section 2.1.
 */
export const gaeTokens = (rows: MaskedRows, tokenRewards: ArrayLike<number>, values: ArrayLike<number>, lastValues: ArrayLike<number>, discounts: Discounts): TokenGae =>
  alongRows(rows, (places, row) =>
    gaeTurns({ rewards: pick(tokenRewards, places), values: pick(values, places), lastValue: lastValues[row] as number, terminatedAfter: [] }, discounts));

/**
 * What stands behind a rollout that its budget cut off. Bootstrapped, the verdict is left to the value: it is not earned yet, and both would
 * pay twice. Judged, the episode counts as ended. Source: Pardo et al., arXiv 1712.00378, section 3 (the limit as part of the task) and 4.
 */
export const cutOff = (member: Scored, atBudget: "judged" | "bootstrap"): Scored => {
  const { trajectory, rewards } = member;
  if (trajectory.ending !== "truncated") return member;
  return atBudget === "judged" ? { ...member, trajectory: { ...trajectory, ending: "terminated" } } : { ...member, rewards: { ...rewards, terminal: 0 } };
};

/** The critic's value behind the last turn, which only a truncated episode is bootstrapped with. */
export const lastValueOf = ({ trajectory, values }: Scored, scheme: string): number =>
  trajectory.ending === "truncated" ? (given(values, scheme, "values").at(-1) as number) : 0;

function creditTurns(members: readonly Scored[], config: Discounts & { readonly whiten: boolean }): Credit[] {
  const made = members.map((member) => {
    const rewards = turnRewards(member.rewards);
    const terminatedAfter = rewards.map((_, turn) => (member.trajectory.ending === "terminated" && turn === rewards.length - 1 ? 1 : 0));
    return gaeTurns({ rewards, values: given(member.values, "critic", "values"), lastValue: lastValueOf(member, "critic"), terminatedAfter }, config);
  });
  const all = Float64Array.from(made.flatMap(({ advantages }) => advantages));
  const credits = (config.whiten ? whiten(all) : all).values();
  return made.map(({ returns }) => ({ perTurn: Float32Array.from(returns, () => credits.next().value as number), targets: Float32Array.from(returns) }));
}

function creditTokens(members: readonly Scored[], config: Discounts & { readonly whiten: boolean }): Credit[] {
  const tokens = actionTokens(members);
  const values = gather(members, (member) => given(member.tokenValues, "critic", "tokenValues"));
  const made = gaeTokens(tokens, tokens.rewards, values, members.map((member) => lastValueOf(member, "critic")), config);
  const [credits, targets] = [scatter(members, config.whiten ? made.whitened : made.advantages), scatter(members, made.returns)];
  return credits.map((perToken, index) => ({ perToken, targets: targets[index] as Float32Array[] }));
}

/** Advantages under a learned value function. Defaults: algorithms.md, section 16; the mean and deviation are over the steps of the batch. */
export const critic: CreditEntry<typeof schema> = {
  id: "critic",
  title: "Critic (GAE)",
  needs: ["values"],
  alsoNeeds: ({ step }) => (step === "token" ? ["tokenValues"] : []),
  schema,
  defaults: { step: "turn", gamma: 0.99, lambda: 0.95, whiten: true, atBudget: "judged", networkLearningRate: 2e-3, networkSteps: 8 },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditBatch(groups, (placed) => (config.step === "turn" ? creditTurns : creditTokens)(placed.map(({ member }) => cutOff(member, config.atBudget)), config));
