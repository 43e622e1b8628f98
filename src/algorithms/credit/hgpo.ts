import * as v from "valibot";
import { integerField, numberField } from "#core/field.ts";
import { exp, log } from "#core/math.ts";
import { discountedReturns, turnRewards } from "#algorithms/returns.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { epsField, gammaField, stdField } from "./fields.ts";
import type { TurnGroup } from "./gigpo.ts";
import { centreAmong } from "./process.ts";
import { creditGroups, perTurn } from "./scorable.ts";

const schema = v.strictObject({
  gamma: gammaField,
  historyLength: integerField({ title: "History", help: "How many earlier states may have to be the same too.", unit: "turns", min: 0, max: 16 }),
  alpha: numberField({ title: "Weight α", help: "A level where k states agree weighs (k + 1)^α; 0 weighs all alike.", min: 0, max: 10 }),
  std: stdField,
  eps: epsField,
});
type Hgpo = v.InferOutput<typeof schema>;

const WEIGHT_FLOOR = 1e-6;
const NO_ADVANTAGE = 1e-12;

/** The last `count` anchors up to a turn, as one key; a turn that has not got as many agrees with none. */
const recent = (anchors: readonly string[], member: number, turn: number, count: number): string =>
  (turn + 1 < count ? JSON.stringify([member, turn]) : JSON.stringify(anchors.slice(turn + 1 - count, turn + 1)));

/**
 * Level k = 1..historyLength + 1 compares the discounted returns of turns that have k anchors behind them and agree in all, as
 * (G - mean)/(std + eps, or 1); the advantage is their average with weights (k + 1)^alpha over the levels where it is not 0, divided by the weights' sum + 1e-6.
 * @returns [G][turns]
 * Source: HGPO, core_hgpo.py of verl-agent; algorithms.md, section 4.2.
 */
export function hgpo({ turnRewards: rewards, anchors }: Omit<TurnGroup, "trajectoryRewards">, { gamma, historyLength, alpha, std, eps }: Hgpo): number[][] {
  const returns = rewards.map((list) => discountedReturns(list, gamma));
  const levels = Array.from({ length: historyLength + 1 }, (_, level) => ({
    weight: exp(alpha * log(level + 2)),
    advantages: centreAmong(returns, (member, turn) => recent(anchors[member] as readonly string[], member, turn, level + 1), { std, eps }),
  }));
  return returns.map((list, member) => list.map((_, turn) => {
    let [sum, weights] = [0, 0];
    for (const { weight, advantages } of levels) {
      const advantage = advantages[member]?.[turn] as number;
      if (Math.abs(advantage) <= NO_ADVANTAGE) continue;
      sum += weight * advantage;
      weights += weight;
    }
    return weights === 0 ? 0 : sum / (weights + WEIGHT_FLOOR);
  }));
}

export const hgpoScheme: CreditEntry<typeof schema> = {
  id: "hgpo",
  title: "HGPO (turns with the same recent states)",
  needs: [],
  schema,
  defaults: { gamma: 0.95, historyLength: 2, alpha: 1, std: "population", eps: 1e-6 },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditGroups(groups, (members) =>
    hgpo({
      turnRewards: members.map(({ rewards }) => turnRewards(rewards)),
      anchors: members.map(({ trajectory }) => trajectory.turns.map(({ anchorKey }) => anchorKey)),
    }, config).map(perTurn));
