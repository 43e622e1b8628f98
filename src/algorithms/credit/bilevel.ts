import * as v from "valibot";
import { numberField } from "#core/field.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import { actionTokens, gather, scatter } from "./action-tokens.ts";
import { alongRows, cutOff, gaeTurns, lastValueOf, pick } from "./critic.ts";
import type { Discounts, TokenGae } from "./critic.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { atBudgetField, lambdaField, networkFields } from "./fields.ts";
import { given } from "./given.ts";
import { creditBatch } from "./scorable.ts";

const discount = (title: string, help: string) => numberField({ title, help, min: 0, max: 1 });
const schema = v.strictObject({
  gamma: discount("Discount γ in a turn", "What a reward one token later in the same turn is worth."),
  highGamma: discount("Discount γ of turns", "What a reward one turn later is worth; below 1 it pays for finishing early."),
  lambda: lambdaField,
  atBudget: atBudgetField,
  ...networkFields("critic", ", where the policy has no value head"),
});

export interface TurnTokens {
  /** Per token; read at turn ends only. */
  readonly rewards: ArrayLike<number>;
  /** Per token: the critic's output at the position before it. */
  readonly values: ArrayLike<number>;
  /** 1 on the last sampled token of a turn; the last one of a row is one. */
  readonly turnEnds: ArrayLike<number>;
  /** [rows], 0 where the episode ended by itself. */
  readonly lastValues: ArrayLike<number>;
}

/**
 * High level: GAE over the turn ends with highGamma. Low level: a turn end has the high level's advantage, and inside a turn
 * delta = gamma·V_next - V, A = delta + gamma·lambda·A_next. Turn ends are told, never guessed from rewards.
 * Source: RAGEN, arXiv 2504.20073, compute_bi_level_gae_advantage_return; algorithms.md, section 4.4.
 */
export const bilevelGae = (
  rows: MaskedRows, { rewards, values, turnEnds, lastValues }: TurnTokens, { gamma, lambda, highGamma }: Discounts & { readonly highGamma: number },
): TokenGae =>
  alongRows(rows, (places, row) => {
    const ends = places.filter((index) => turnEnds[index] === 1);
    const turns = { rewards: pick(rewards, ends), values: pick(values, ends), lastValue: lastValues[row] as number, terminatedAfter: [] };
    const high = new Map(gaeTurns(turns, { gamma: highGamma, lambda }).advantages.map((advantage, turn) => [ends[turn], advantage]));
    const own = pick(values, places);
    const advantages = own.map(() => 0);
    for (let step = places.length - 1; step >= 0; step -= 1) {
      const inside = gamma * (own[step + 1] ?? 0) - (own[step] as number) + gamma * lambda * (advantages[step + 1] ?? 0);
      advantages[step] = high.get(places[step]) ?? inside;
    }
    return { advantages, returns: advantages.map((advantage, step) => advantage + (own[step] as number)) };
  });

/** Credit per token, whitened over the sampled tokens of the batch. Defaults: RAGEN. */
export const bilevel: CreditEntry<typeof schema> = {
  id: "bilevel",
  title: "Critic in two levels (bi-level GAE)",
  needs: ["values", "tokenValues"],
  schema,
  defaults: { gamma: 1, highGamma: 0.95, lambda: 1, atBudget: "judged", networkLearningRate: 2e-3, networkSteps: 8 },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditBatch(groups, (placed) => {
    const members = placed.map(({ member }) => cutOff(member, config.atBudget));
    const tokens = actionTokens(members);
    const values = gather(members, (member) => given(member.tokenValues, "bilevel", "tokenValues"));
    const lastValues = members.map((member) => lastValueOf(member, "bilevel"));
    const { whitened, returns } = bilevelGae(tokens, { rewards: tokens.rewards, values, turnEnds: tokens.turnEnds, lastValues }, config);
    const [credits, targets] = [scatter(members, whitened), scatter(members, returns)];
    return credits.map((perToken, index) => ({ perToken, targets: targets[index] as Float32Array[] }));
  });
