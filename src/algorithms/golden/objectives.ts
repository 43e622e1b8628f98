import * as v from "valibot";
import { legalEntropy, legalKl, legalLogNormaliser, logitGradient } from "#core/distribution.ts";
import type { RowGradient } from "#core/distribution.ts";
import { exp } from "#core/math.ts";
import { cispoLoss } from "#algorithms/objectives/cispo.ts";
import { clippedLoss } from "#algorithms/objectives/clipped-loss.ts";
import { dpoLoss } from "#algorithms/objectives/dpo.ts";
import { gspoLoss } from "#algorithms/objectives/gspo.ts";
import { klEstimate } from "#algorithms/objectives/kl-estimator.ts";
import { raftSelection } from "#algorithms/objectives/raft.ts";
import { sftLoss } from "#algorithms/objectives/sft.ts";
import { weighRows, weighUnits } from "#algorithms/objectives/token-rows.ts";
import { valueLoss } from "#algorithms/objectives/value.ts";
import { flatten, golden, mask, numbers, rowsOf, startsOf, table, unflatten } from "./packing.ts";
import type { GoldenFunctions } from "./packing.ts";

const average = { aggregation: v.picklist(["tokenMean", "sequenceMean", "constant"]), constant: v.nullable(v.number()) };
const clipRange = { clipLow: v.number(), clipHigh: v.number() };
const tokens = { logprobs: table, oldLogprobs: table, advantages: table, mask };

const legalTo = (legal: readonly number[]) => (token: number): boolean => legal[token] === 1;

/** dLoss/dlogits of one row; 0 for tokens that are not legal. */
const logitGradients = (
  logits: readonly number[], normaliser: number, reference: readonly number[], referenceNormaliser: number, legal: readonly number[], row: RowGradient,
): number[] =>
  logits.map((logit, token) => (legal[token] === 1
    ? logitGradient(logit - normaliser, 0, (reference[token] as number) - referenceNormaliser, row)
    : 0));

const OFF: RowGradient = { dLogprob: 0, entropy: 0, dEntropy: 0, kl: 0, dKl: 0 };

export const OBJECTIVE_FUNCTIONS: GoldenFunctions = {
  clippedLoss: golden(
    v.object({ ...tokens, ...clipRange, dualClip: v.nullable(v.number()), ...average }),
    (inputs) => {
      const shape = inputs.mask;
      const rows = weighRows(startsOf(shape), shape.flat(), inputs.aggregation, inputs.constant);
      const gradient = new Float64Array(shape.flat().length);
      const policy = {
        logprobs: flatten(inputs.logprobs, shape), oldLogprobs: flatten(inputs.oldLogprobs, shape), advantages: flatten(inputs.advantages, shape),
      };
      const { loss, clipFraction } = clippedLoss(rows, policy, inputs, gradient);
      return { loss, gradLogprobs: unflatten(gradient, shape), clipFraction };
    },
  ),
  gspoLoss: golden(v.object({ ...tokens, advantages: numbers, ...clipRange }), (inputs) => {
    const shape = inputs.mask;
    const rowIndices = [...shape.keys()];
    const gradient = new Float64Array(shape.flat().length);
    const policy = {
      logprobs: flatten(inputs.logprobs, shape), oldLogprobs: flatten(inputs.oldLogprobs, shape),
      advantages: shape.flatMap((row, index) => row.map(() => inputs.advantages[index] as number)),
    };
    const { loss, ratios, clipFraction } = gspoLoss(weighUnits(rowsOf(shape), rowIndices), rowIndices, policy, inputs, gradient);
    return { loss, ratios, gradLogprobs: unflatten(gradient, shape), clipFraction };
  }),
  cispoLoss: golden(v.object({ ...tokens, ...clipRange, ...average }), (inputs) => {
    const shape = inputs.mask;
    const rows = weighRows(startsOf(shape), shape.flat(), inputs.aggregation, inputs.constant);
    const gradient = new Float64Array(shape.flat().length);
    const policy = {
      logprobs: flatten(inputs.logprobs, shape), oldLogprobs: flatten(inputs.oldLogprobs, shape), advantages: flatten(inputs.advantages, shape),
    };
    const { loss, clipFraction } = cispoLoss(rows, policy, inputs, gradient);
    return { loss, gradLogprobs: unflatten(gradient, shape), clipFraction };
  }),
  sftLoss: golden(v.object({ logprobs: table, mask, aggregation: v.picklist(["tokenMean", "sequenceMean"]) }), (inputs) => {
    const shape = inputs.mask;
    const gradient = new Float64Array(shape.flat().length);
    const loss = sftLoss(weighRows(startsOf(shape), shape.flat(), inputs.aggregation, null), flatten(inputs.logprobs, shape), gradient);
    return { loss, gradLogprobs: unflatten(gradient, shape) };
  }),
  dpoLoss: golden(
    v.object({ chosenLogprobs: table, chosenReference: table, chosenMask: mask, rejectedLogprobs: table, rejectedReference: table, rejectedMask: mask, beta: v.number() }),
    (inputs) => {
      const shape = [...inputs.chosenMask, ...inputs.rejectedMask];
      const count = inputs.chosenMask.length;
      const gradient = new Float64Array(shape.flat().length);
      const pairs = inputs.chosenMask.map((_, pair) => ({ chosen: pair, rejected: count + pair }));
      const [logprobs, reference] = [[...inputs.chosenLogprobs, ...inputs.rejectedLogprobs], [...inputs.chosenReference, ...inputs.rejectedReference]];
      const { loss, rewards } = dpoLoss({ ...rowsOf(shape), trajectoryOfRow: [...shape.keys()], pairs }, flatten(logprobs, shape), flatten(reference, shape), inputs.beta, gradient);
      const gradients = unflatten(gradient, shape);
      return {
        loss, chosenRewards: [...rewards.subarray(0, count)], rejectedRewards: [...rewards.subarray(count)],
        gradChosen: gradients.slice(0, count), gradRejected: gradients.slice(count),
      };
    },
  ),
  raftSelection: golden(v.object({ rewards: table }), ({ rewards }) => ({ ...raftSelection(rewards) })),
  valueLoss: golden(v.object({ values: table, oldValues: table, returns: table, mask, clip: v.nullable(v.number()) }), (inputs) => {
    const shape = inputs.mask;
    const rows = weighRows(startsOf(shape), shape.flat(), "tokenMean", null);
    const gradient = new Float64Array(shape.flat().length);
    const values = { values: flatten(inputs.values, shape), oldValues: flatten(inputs.oldValues, shape), returns: flatten(inputs.returns, shape) };
    const { loss, clipFraction } = valueLoss(rows, values, inputs.clip, gradient);
    return { loss, gradValues: unflatten(gradient, shape), clipFraction };
  }),
  klEstimators: golden(v.object({ logprobs: table, referenceLogprobs: table, mask }), (inputs) => {
    const shape = inputs.mask;
    const [logprobs, reference] = [flatten(inputs.logprobs, shape), flatten(inputs.referenceLogprobs, shape)];
    const sampled = shape.flat();
    const of = (estimator: "k1" | "k2" | "k3", part: "value" | "slope"): number[][] =>
      unflatten(logprobs.map((logprob, index) => (sampled[index] === 0 ? 0 : klEstimate(logprob, reference[index] as number, estimator)[part])), shape);
    return { k1: of("k1", "value"), k2: of("k2", "value"), k3: of("k3", "value"), gradK2: of("k2", "slope"), gradK3: of("k3", "slope") };
  }),
  entropy: golden(v.object({ logits: table, legal: mask }), ({ logits, legal }) => {
    flatten(logits, legal);
    const rows = logits.map((row, index) => {
      const allowed = legal[index] as readonly number[];
      const normaliser = legalLogNormaliser(row, 0, row.length, legalTo(allowed));
      const entropy = legalEntropy(row, 0, row.length, legalTo(allowed), normaliser);
      return {
        entropy,
        probabilities: row.map((logit, token) => (allowed[token] === 1 ? exp(logit - normaliser) : 0)),
        gradient: logitGradients(row, normaliser, row, normaliser, allowed, { ...OFF, entropy, dEntropy: 1 }),
      };
    });
    return {
      entropy: rows.map((row) => row.entropy), probabilities: rows.map((row) => row.probabilities), gradLogits: rows.map((row) => row.gradient),
    };
  }),
  klExact: golden(v.object({ logits: table, referenceLogits: table, legal: mask }), ({ logits, referenceLogits, legal }) => {
    flatten(logits, legal);
    flatten(referenceLogits, legal);
    const rows = logits.map((row, index) => {
      const reference = referenceLogits[index] as readonly number[];
      const allowed = legal[index] as readonly number[];
      const normaliser = legalLogNormaliser(row, 0, row.length, legalTo(allowed));
      const referenceNormaliser = legalLogNormaliser(reference, 0, row.length, legalTo(allowed));
      const kl = legalKl(row, reference, 0, row.length, legalTo(allowed), normaliser, referenceNormaliser);
      return { kl, gradient: logitGradients(row, normaliser, reference, referenceNormaliser, allowed, { ...OFF, kl, dKl: 1 }) };
    });
    return { kl: rows.map((row) => row.kl), gradLogits: rows.map((row) => row.gradient) };
  }),
};
