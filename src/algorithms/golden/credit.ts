import * as v from "valibot";
import { mulberry32 } from "#core/mulberry32.ts";
import { bilevelGae } from "#algorithms/credit/bilevel.ts";
import { branchValues } from "#algorithms/credit/branching.ts";
import { gaeTokens, gaeTurns } from "#algorithms/credit/critic.ts";
import { groupAdvantage } from "#algorithms/credit/flat.ts";
import { gigpo } from "#algorithms/credit/gigpo.ts";
import { hgpo } from "#algorithms/credit/hgpo.ts";
import { hierarchicalGroups } from "#algorithms/credit/hierarchical.ts";
import { istarAdvantages, istarLoss, istarStepScores } from "#algorithms/credit/istar.ts";
import { mtGrpo } from "#algorithms/credit/mt-grpo.ts";
import { primeLoss } from "#algorithms/credit/prime.ts";
import { processReturns } from "#algorithms/credit/process.ts";
import { reinforcePlusPlusBaseline } from "#algorithms/credit/reinforce-plus-plus-baseline.ts";
import { reinforcePlusPlus } from "#algorithms/credit/reinforce-plus-plus.ts";
import { batchBaselineAdvantage } from "#algorithms/credit/reinforce.ts";
import { truthSplit } from "#algorithms/credit/truth.ts";
import { bradleyTerryLoss } from "#algorithms/rewards/bradley-terry.ts";
import { randomReward } from "#algorithms/rewards/coin-flip.ts";
import { overlongPenalty } from "#algorithms/rewards/overlong.ts";
import { bits, flatten, golden, mask, numbers, rowsOf, scorable, std, table, texts, unflatten, whole } from "./packing.ts";
import type { GoldenFunctions } from "./packing.ts";

const form = v.picklist(["default", "asReleased"]);
const discounts = { gamma: v.number(), lambda: v.number() };
const settings = { std, eps: v.number() };

/** Credit schemes, and the reward sources and second networks that they start from. */
export const CREDIT_FUNCTIONS: GoldenFunctions = {
  groupAdvantage: golden(v.object({ rewards: scorable, ...settings, leaveOneOut: v.boolean() }), ({ rewards, ...how }) => ({ advantages: groupAdvantage(rewards, how) })),
  batchBaselineAdvantage: golden(
    v.object({ rewards: numbers, baseline: v.picklist(["none", "mean", "moving"]), ...settings, movingStart: v.nullable(v.number()), movingDecay: v.nullable(v.number()) }),
    ({ rewards, ...how }) => ({ ...batchBaselineAdvantage(rewards, how) }),
  ),
  reinforcePlusPlus: golden(v.object({ tokenRewards: table, mask, gamma: v.number() }), (inputs) => {
    const { returns, advantages } = reinforcePlusPlus(rowsOf(inputs.mask), flatten(inputs.tokenRewards, inputs.mask), inputs.gamma);
    return { returns: unflatten(returns, inputs.mask), advantages: unflatten(advantages, inputs.mask) };
  }),
  reinforcePlusPlusBaseline: golden(v.object({ rewards: numbers, groups: v.array(whole), mask }), (inputs) => {
    const { centred, advantages } = reinforcePlusPlusBaseline(rowsOf(inputs.mask), inputs.rewards, inputs.groups);
    return { centred, advantages: unflatten(advantages, inputs.mask) };
  }),
  gaeTurns: golden(
    v.object({ rewards: numbers, values: numbers, lastValue: v.number(), terminatedAfter: bits, ...discounts }),
    ({ gamma, lambda, ...chain }) => ({ ...gaeTurns(chain, { gamma, lambda }) }),
  ),
  gaeTokens: golden(v.object({ tokenRewards: table, values: table, mask, lastValues: numbers, ...discounts }), (inputs) => {
    const shape = inputs.mask;
    const { advantages, returns, whitened } = gaeTokens(rowsOf(shape), flatten(inputs.tokenRewards, shape), flatten(inputs.values, shape), inputs.lastValues, inputs);
    return { advantages: unflatten(advantages, shape), returns: unflatten(returns, shape), whitened: unflatten(whitened, shape) };
  }),
  bilevelGae: golden(
    v.object({ tokenRewards: table, values: table, mask, turnEnds: mask, lastValues: numbers, ...discounts, highGamma: v.number() }),
    (inputs) => {
      const shape = inputs.mask;
      const tokens = {
        rewards: flatten(inputs.tokenRewards, shape), values: flatten(inputs.values, shape), turnEnds: flatten(inputs.turnEnds, shape), lastValues: inputs.lastValues,
      };
      const { advantages, returns, whitened } = bilevelGae(rowsOf(shape), tokens, inputs);
      return { advantages: unflatten(advantages, shape), returns: unflatten(returns, shape), whitened: unflatten(whitened, shape) };
    },
  ),
  processReturns: golden(
    v.object({ turnRewards: table, gamma: v.number(), centring: v.picklist(["none", "pooled", "perTurnIndex", "immediatePerTurnIndex"]), ...settings }),
    ({ turnRewards, ...how }) => ({ ...processReturns(turnRewards, how) }),
  ),
  mtGrpo: golden(v.object({ turnRewards: numbers, outcomeRewards: numbers, coefficient: v.number(), eps: v.number() }), ({ turnRewards, outcomeRewards, coefficient, eps }) => ({
    ...mtGrpo(turnRewards, outcomeRewards, coefficient, eps),
  })),
  gigpo: golden(
    v.object({
      trajectoryRewards: numbers, turnRewards: table, anchors: v.array(texts), gamma: v.number(), omega: v.number(), ...settings,
      episodeStatistics: v.picklist(["perTrajectory", "perTurn"]),
    }),
    ({ trajectoryRewards, turnRewards, anchors, ...how }) => ({ ...gigpo({ trajectoryRewards, turnRewards, anchors }, how) }),
  ),
  hgpo: golden(
    v.object({ turnRewards: table, anchors: v.array(texts), gamma: v.number(), historyLength: whole, alpha: v.number(), ...settings }),
    ({ turnRewards, anchors, ...how }) => ({ advantages: hgpo({ turnRewards, anchors }, how) }),
  ),
  hierarchicalGroups: golden(v.object({ rewards: numbers, roles: texts, episodes: texts, perEpisodeRoles: texts }), ({ rewards, roles, episodes, perEpisodeRoles }) => ({
    advantages: hierarchicalGroups(rewards.map((reward, index) => ({ reward, role: roles[index] as string, episode: episodes[index] as string })), perEpisodeRoles),
  })),
  istarStepScores: golden(
    v.object({ logprobPrm: table, logprobPolicyOld: table, mask, beta: v.number(), normalisation: v.picklist(["maxAbs", "none"]), eps: v.number() }),
    (inputs) => ({ ...istarStepScores(rowsOf(inputs.mask), flatten(inputs.logprobPrm, inputs.mask), flatten(inputs.logprobPolicyOld, inputs.mask), inputs) }),
  ),
  istarAdvantages: golden(
    v.object({ outcomes: numbers, stepScores: table, omega: v.number(), std: v.picklist(["none", "sample"]), eps: v.number(), form }),
    ({ outcomes, stepScores, ...how }) => ({ ...istarAdvantages(outcomes, stepScores, how) }),
  ),
  istarLoss: golden(v.object({ stepRewards: table, success: bits, form }), ({ stepRewards, success, form: which }) => ({
    ...istarLoss(stepRewards, success.map((won) => won === 1), which),
  })),
  primeLoss: golden(v.object({ logprobPrm: table, logprobReference: table, mask, outcomes: bits, beta: v.number() }), (inputs) => {
    const shape = inputs.mask;
    const gradient = new Float64Array(shape.flat().length);
    const { loss, probabilities, tokenRewards } = primeLoss(rowsOf(shape), flatten(inputs.logprobPrm, shape), flatten(inputs.logprobReference, shape), inputs.outcomes, inputs.beta, gradient);
    return { loss, probabilities, tokenRewards: unflatten(tokenRewards, shape), gradLogprobPrm: unflatten(gradient, shape) };
  }),
  branchValues: golden(v.object({ continuationReturns: table, turnRewards: numbers }), ({ continuationReturns, turnRewards }) => ({ ...branchValues(continuationReturns, turnRewards) })),
  truth: golden(v.object({ values: numbers, actionValues: numbers, outcome: v.number() }), ({ values, actionValues, outcome }) => ({ ...truthSplit(values, actionValues, outcome) })),
  bradleyTerryLoss: golden(v.object({ chosen: numbers, rejected: numbers, margins: numbers, centreCoefficient: v.number() }), ({ centreCoefficient, ...pairs }) => ({
    ...bradleyTerryLoss(pairs, centreCoefficient),
  })),
  overlongPenalty: golden(
    v.object({ lengths: numbers, maxLength: v.number(), buffer: v.number(), factor: v.number(), floored: v.boolean() }),
    ({ lengths, ...how }) => ({ penalties: overlongPenalty(lengths, how) }),
  ),
  randomReward: golden(v.object({ seed: v.number(), rate: v.number(), count: whole }), ({ seed, rate, count }) => ({ rewards: randomReward(mulberry32(seed), rate, count) })),
};
