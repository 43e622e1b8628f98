import * as v from "valibot";
import { numberField } from "#core/field.ts";
import type { Scored } from "#core/credit.ts";
import { mean } from "#core/statistics.ts";
import { sigmoid, softplus } from "#algorithms/logistic.ts";
import { sampledIn } from "#algorithms/masked-rows.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import type { PerTokenOut } from "#algorithms/objectives/token-rows.ts";
import { returnOf, succeeded } from "#algorithms/returns.ts";
import { whiten } from "#algorithms/whiten.ts";
import { actionTokens, gather, scatter } from "./action-tokens.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { networkFields } from "./fields.ts";
import { groupAdvantage } from "./flat.ts";
import { given } from "./given.ts";
import { creditBatch, perTrajectory } from "./scorable.ts";

const schema = v.strictObject({
  beta: numberField({ title: "β", help: "Times the log ratio of implicit reward model and the policy it started as.", min: 0, max: 10 }),
  processCoefficient: numberField({ title: "Weight of the process reward", help: "Times the leave-one-out token rewards.", min: 0, max: 100 }),
  outcomeCoefficient: numberField({ title: "Weight of the outcome", help: "Times the leave-one-out return.", min: 0, max: 100 }),
  accuracyLow: numberField({ title: "Fewest successes", help: "Groups with a smaller share of successes are left out, of this update and of the reward model's; 0 keeps all.", min: 0, max: 1 }),
  accuracyHigh: numberField({ title: "Most successes", help: "Groups with a larger share of successes are left out likewise; 1 keeps all.", min: 0, max: 1 }),
  ...networkFields("implicit reward model", ""),
});
type Prime = v.InferOutput<typeof schema>;

/**
 * Whether a group is neither too hard nor too easy: its share of successes among the rollouts that did not fail lies within the band.
 * Source: online prompt filtering of PRIME, arXiv 2502.01456, section 3.3; algorithms.md, section 5.1.
 */
export function isWithinBand(members: readonly Scored[], { accuracyLow, accuracyHigh }: Pick<Prime, "accuracyLow" | "accuracyHigh">): boolean {
  const ended = members.filter(({ trajectory }) => trajectory.ending !== "failed");
  const share = ended.filter(succeeded).length / ended.length;
  return share >= accuracyLow && share <= accuracyHigh;
}

/** beta·(log π_φ - log π_ref) of every sampled token, 0 elsewhere. */
function primeTokenRewards(rows: MaskedRows, prm: ArrayLike<number>, reference: ArrayLike<number>, beta: number): Float64Array {
  return Float64Array.from({ length: rows.mask.length }, (_, index) => (rows.mask[index] === 0 ? 0 : beta * ((prm[index] as number) - (reference[index] as number))));
}

/**
 * What the implicit reward model is fitted with: the mean over rows of the binary cross-entropy of sigmoid(Σ token rewards) with the outcome.
 * @param outcomes [rows], 0 or 1. @param gradLogprobPrm receives dLoss/dlogprobPrm.
 * Source: PRIME, arXiv 2502.01456, equations 3 and 5; prime_core_algos.py; algorithms.md, section 5.1.
 */
export function primeLoss(
  rows: MaskedRows, logprobPrm: ArrayLike<number>, logprobReference: ArrayLike<number>, outcomes: ArrayLike<number>, beta: number, gradLogprobPrm: PerTokenOut,
): { readonly loss: number; readonly probabilities: number[]; readonly tokenRewards: Float64Array } {
  const tokenRewards = primeTokenRewards(rows, logprobPrm, logprobReference, beta);
  gradLogprobPrm.fill(0);
  let loss = 0;
  const probabilities = Array.from(outcomes, (outcome, row) => {
    const places = sampledIn(rows, row);
    const score = places.reduce((sum, index) => sum + (tokenRewards[index] as number), 0);
    loss += (softplus(score) - outcome * score) / outcomes.length;
    for (const index of places) gradLogprobPrm[index] = (beta * (sigmoid(score) - outcome)) / outcomes.length;
    return sigmoid(score);
  });
  return { loss, probabilities, tokenRewards };
}

interface Coefficients {
  readonly processCoefficient: number;
  readonly outcomeCoefficient: number;
}

/**
 * Both sources leave one out within the group, are weighed, added, summed from each token on and whitened over the batch. The baseline of
 * a token reward is the mean over the group's other rows of their mean token reward. 0 in a group with fewer than two rows that have tokens.
 * @param outcomes [rows] paid with a row's last token. @param groups [rows]
 * Source: PRIME, arXiv 2502.01456, equation 6; masked_rloo of prime_core_algos.py; algorithms.md, section 5.1.
 */
function primeAdvantages(
  rows: MaskedRows, tokenRewards: Float64Array, outcomes: readonly number[], groups: readonly number[], { processCoefficient, outcomeCoefficient }: Coefficients,
): Float64Array {
  const returns = new Float64Array(tokenRewards.length);
  const places = outcomes.map((_, row) => sampledIn(rows, row));
  for (const group of new Set(groups)) {
    const peers = [...groups.keys()].filter((row) => groups[row] === group && (places[row] as number[]).length > 0);
    if (peers.length < 2) continue;
    const others = peers.length / (peers.length - 1);
    const baseline = mean(peers.map((row) => mean((places[row] as number[]).map((index) => tokenRewards[index] as number))));
    const outcome = groupAdvantage(peers.map((row) => outcomes[row] as number), { std: "none", eps: 0, leaveOneOut: true });
    for (const [peer, row] of peers.entries()) {
      let sum = outcomeCoefficient * (outcome[peer] as number);
      for (const index of (places[row] as number[]).toReversed()) {
        sum += processCoefficient * others * ((tokenRewards[index] as number) - baseline);
        returns[index] = sum;
      }
    }
  }
  return whiten(returns, rows.mask);
}

/** Credit per token from an implicit reward model trained on outcomes alone. Defaults: verl's recipe. */
export const prime: CreditEntry<typeof schema> = {
  id: "prime",
  title: "PRIME (implicit token reward)",
  needs: ["tokenScores", "tokenReferences"],
  schema,
  defaults: { beta: 0.05, processCoefficient: 5, outcomeCoefficient: 5, accuracyLow: 0.2, accuracyHigh: 0.8, networkLearningRate: 5e-4, networkSteps: 1 },
};

export const assign: Assign<typeof schema> = (groups, config) => {
  const kept = groups.map(({ members }) => isWithinBand(members, config));
  return creditBatch(groups, (placed) => {
    const chosen = placed.filter(({ group }) => kept[group]);
    const members = chosen.map(({ member }) => member);
    const rows = actionTokens(members);
    const prm = gather(members, (member) => given(member.tokenScores, "prime", "tokenScores"));
    const reference = gather(members, (member) => given(member.tokenReferences, "prime", "tokenReferences"));
    const tokenRewards = primeTokenRewards(rows, prm, reference, config.beta);
    const outcomes = members.map((member) => returnOf(member) as number);
    const credits = scatter(members, primeAdvantages(rows, tokenRewards, outcomes, chosen.map(({ group }) => group), config)).values();
    return placed.map(({ member, group }) => (kept[group] === true ? { perToken: credits.next().value as Float32Array[] } : perTrajectory(member, 0)));
  });
};
