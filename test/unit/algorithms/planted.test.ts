import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { ObjectiveConfig } from "#algorithms/objectives/registry.ts";
import type { RewardConfig } from "#algorithms/rewards/registry.ts";
import type { ScoredGroup, TurnRewards } from "#core/credit.ts";
import type { TokenStats, TrainBatch } from "#core/objective.ts";
import { createRng } from "#core/rng.ts";
import type { Ending } from "#core/trajectory.ts";
import { plant, withPlant } from "./planted.ts";
import type { Layer, Plant } from "./planted.ts";
import { groupOf, judged, memberOf, scored } from "./trajectories.ts";
import type { TurnSketch } from "./trajectories.ts";

const rng = createRng(1);
const CLIP = { clipLow: 0.2, clipHigh: 0.28 };
const credit = ({ credit: { CREDIT_ASSIGNERS } }: Layer, id: CreditConfig["id"], change: object = {}): CreditConfig => ({ id, ...CREDIT_ASSIGNERS[id].defaults, ...change }) as CreditConfig;
const objective = ({ objectives: { OBJECTIVES } }: Layer, id: ObjectiveConfig["id"], change: object = {}): ObjectiveConfig => ({ id, ...OBJECTIVES[id].defaults, ...change }) as ObjectiveConfig;
const perTurn = (layer: Layer, groups: readonly ScoredGroup[], config: CreditConfig): number[][][] =>
  layer.credit.assignCredit(groups, config, rng).map((credits) => credits.map((paid) => ("perTurn" in paid ? [...paid.perTurn] : paid.perToken.flatMap((values) => [...values]))));
const golden = (layer: Layer, name: string, inputs: object): Record<string, number[][]> => layer.golden.GOLDEN_FUNCTIONS[name]?.(inputs) as Record<string, number[][]>;

/** Two groups whose members differ in everything a scheme looks at; the last member's turns have sequences of their own. */
function groupsOfMany(): ScoredGroup[] {
  const turns = (count: number, seed: number): TurnSketch[] => Array.from({ length: count }, (_, index) => ({
    sampled: 1 + ((index + seed) % 3), reward: [0, 0.25, -0.5][((index + 1) * seed) % 3] as number, anchor: `${(index + seed) % 2}`,
    kind: (index + seed) % 4 === 0 ? "malformed" : "tool", reachesGoal: (index + seed) % 3 === 0,
  }));
  return [0, 1].map((group) => groupOf([1, 2, 3, 4].map((index) => memberOf({
    turns: turns(1 + ((index + group) % 4), index + group), terminal: index % 2, ending: index === 3 ? "truncated" : "terminated", split: index === 4, seed: 10 * group + index,
  }, 10 * group + index)), `g${group}`));
}

/** A batch of them, and statistics of a policy that has moved. */
function batchOfMany(layer: Layer): { batch: TrainBatch; stats: TokenStats } {
  const groups = groupsOfMany();
  const [batch] = layer.batch.makeMinibatches(groups, layer.credit.assignCredit(groups, credit(layer, "truth"), rng), 1).batches;
  if (batch === undefined) throw new Error("no batch");
  const draws = createRng(7);
  const drawn = (scale: number): Float32Array => Float32Array.from(batch.mask, (bit) => (bit === 1 ? scale * draws.next() : NaN));
  return {
    batch,
    stats: {
      logprobs: drawn(0.8).map((value, at) => value - 0.4 + (batch.behaviorLogprobs[at] as number)), entropies: drawn(1),
      referenceLogprobs: drawn(-2), kl: drawn(1), values: drawn(1),
    },
  };
}
const gradients = (layer: Layer, { batch, stats }: ReturnType<typeof batchOfMany>, id: ObjectiveConfig["id"], change: object = {}): number[] => {
  const { loss, dLogprobs, dEntropies, dKl, dValues } = layer.objectives.evaluateObjective({ objective: objective(layer, id, change), ...CLIP }, batch, stats);
  return [loss, ...[dLogprobs, dEntropies, dKl, dValues].flatMap((values) => [...(values ?? [])])];
};
const TERMS = { klCoefficient: 0.3, entropyCoefficient: 0.1, valueCoefficient: 0.5 };

/** Everything that training takes from the layer, in numbers. */
function everything(layer: Layer): string {
  const groups = groupsOfMany();
  const configs = [
    ...(Object.keys(layer.credit.CREDIT_ASSIGNERS) as CreditConfig["id"][]).map((id) => credit(layer, id)),
    credit(layer, "reinforce", { baseline: "none" }), credit(layer, "critic", { step: "token" }),
  ];
  const many = batchOfMany(layer);
  const losses = (Object.keys(layer.objectives.OBJECTIVES) as ObjectiveConfig["id"][]).flatMap((id) => [TERMS, { klCoefficient: 0.3, klEstimator: "k2" }].map((change) => gradients(layer, many, id, change)));
  const rewards = (Object.keys(layer.rewards.REWARD_SOURCES) as RewardConfig["id"][]).map((id) => {
    const config = { id, ...layer.rewards.REWARD_SOURCES[id].defaults, ...(id === "shaped" ? { overlongFactor: 1, overlongLength: 4, overlongBuffer: 2 } : {}) } as RewardConfig;
    const scoredByModel = groups.map(({ groupId, members }) => ({ groupId, members: members.map((member) => ({ ...member, modelScores: Float32Array.from(member.trajectory.turns, (_, turn) => turn - 1) })) }));
    return (layer.rewards.scoreGroups(scoredByModel, config, rng) as readonly (readonly TurnRewards[])[]).flat().map(({ perTurn: paid, terminal }) => [...paid, terminal]);
  });
  return JSON.stringify([configs.map((config) => perTurn(layer, groups, config)), losses, rewards]);
}

// ---------------------------------------------------------------- the ten bugs of algorithms.md, section 15

interface Bug {
  readonly name: string;
  /** Holds for the layer as it is, and throws when one of the plants is on. */
  readonly check: (layer: Layer) => void;
  readonly plants: readonly Plant[];
}

/** Rows with two observation tokens put in front of each action token. */
const spread = (rows: readonly (readonly number[])[], filler: number): number[][] => rows.map((row) => row.flatMap((value) => [filler, filler, value]));
const unspread = (rows: readonly (readonly number[])[]): number[][] => rows.map((row) => row.filter((_, index) => index % 3 === 2));
const close = (got: readonly number[], expected: readonly number[]): void => {
  expect(got.length).toBe(expected.length);
  for (const [index, value] of got.entries()) expect(Math.abs(value - (expected[index] as number))).toBeLessThan(1e-5);
};

const BUGS: readonly Bug[] = [
  {
    name: "1 observation tokens in the loss, action tokens out of it",
    check(layer) {
      const many = batchOfMany(layer);
      expect([...many.batch.mask].map((bit, at) => bit === 1 && many.batch.tokens[at] !== 0).filter(Boolean).length)
        .toBe(groupsOfMany().flatMap(({ members }) => members).flatMap(({ trajectory }) => trajectory.turns).reduce((sum, { start, end }) => sum + end - start, 0));
      const spoil = (values: Float32Array | undefined): Float32Array => (values as Float32Array).map((value, at) => (many.batch.mask[at] === 1 ? value : -7));
      const spoilt = Object.fromEntries(Object.entries(many.stats).map(([name, values]) => [name, spoil(values as Float32Array)])) as unknown as TokenStats;
      const batch = { ...many.batch, advantages: spoil(many.batch.advantages), behaviorLogprobs: spoil(many.batch.behaviorLogprobs), returns: spoil(many.batch.returns) };
      for (const id of Object.keys(layer.objectives.OBJECTIVES) as ObjectiveConfig["id"][])
        for (const change of [TERMS, { klCoefficient: 0.3, klEstimator: "k3" }]) expect(gradients(layer, { batch, stats: spoilt }, id, change)).toEqual(gradients(layer, many, id, change));
    },
    plants: [
      { file: "batch.ts", right: "span.sampled", wrong: "!span.sampled" },
      { file: "objectives/clipped-loss.ts", right: "mask[index] === 0", wrong: "false" },
      { file: "objectives/token-rows.ts", right: "mask[index] !== 0", wrong: "true" },
      { file: "objectives/terms.ts", right: "mask[index] === 0", wrong: "false" },
    ],
  },
  {
    name: "2 a recursion that stops or decays at observation tokens",
    check(layer) {
      const mask = [[1, 1, 1], [1, 1, 1]];
      const values = [[0.2, 0.5, 0.1], [0.4, 0.3, 0.9]];
      const tokenRewards = [[0, 0.5, 1], [0, 0, -1]];
      const shared = { gamma: 0.9, lambda: 0.8, highGamma: 0.7, lastValues: [0, 0.3] };
      const plain = { ...shared, mask, values, tokenRewards, turnEnds: [[0, 1, 1], [1, 0, 1]] };
      const wide = { ...shared, mask: spread(mask, 0), values: spread(values, 5), tokenRewards: spread(tokenRewards, 5), turnEnds: spread(plain.turnEnds, 1) };
      for (const name of ["reinforcePlusPlus", "gaeTokens", "bilevelGae"])
        for (const [output, rows] of Object.entries(golden(layer, name, plain))) close(unspread(golden(layer, name, wide)[output] ?? []).flat(), rows.flat());
    },
    plants: [
      { file: "credit/reinforce-plus-plus.ts", right: "gamma * next", wrong: "gamma * (returns[index + 1] ?? 0)" },
      { file: "credit/critic.ts", right: "sampledIn(rows, row)", wrong: "Array.from({ length: rows.starts[row + 1] - rows.starts[row] }, (_, step) => rows.starts[row] + step)" },
    ],
  },
  {
    name: "3 trained tokens or log-probabilities that are not the sampled ones",
    check(layer) {
      const groups = groupsOfMany();
      const { batch, stats } = batchOfMany(layer);
      const sequences = groups.flatMap(({ members }) => members.flatMap(({ trajectory }) => trajectory.sequences));
      for (const [row, { tokens, behaviorLogprobs, automatonStates }] of sequences.entries()) {
        const at = row * batch.length;
        expect([...batch.tokens.subarray(at, at + tokens.length)]).toEqual([...tokens]);
        expect([...batch.automatonStates.subarray(at, at + tokens.length)]).toEqual([...automatonStates]);
        expect([...batch.behaviorLogprobs.subarray(at, at + tokens.length)]).toEqual([...behaviorLogprobs]);
      }
      const sampled = Float32Array.from({ length: batch.mask.length }, (_, at) => sequences[Math.floor(at / batch.length)]?.behaviorLogprobs[at % batch.length] ?? 0);
      for (const id of Object.keys(layer.objectives.OBJECTIVES) as ObjectiveConfig["id"][])
        expect(layer.objectives.evaluateObjective({ objective: objective(layer, id), ...CLIP }, batch, { ...stats, logprobs: sampled }).metrics).toMatchObject({ maxRatio: 1, approxKl: 0 });
    },
    plants: [
      { file: "batch.ts", right: "row.sequence.behaviorLogprobs", wrong: "row.sequence.behaviorLogprobs.map((_, index, all) => all[index + 1] ?? 0)" },
      { file: "batch.ts", right: "row.sequence.tokens", wrong: "row.sequence.tokens.toReversed()" },
      { file: "batch.ts", right: "row.sequence.automatonStates", wrong: "row.sequence.automatonStates.map(() => 0)" },
    ],
  },
  {
    name: "4 wrong groups: singletons, or the whole batch",
    check(layer) {
      const groups = [groupOf([1, 0, 1, 0].map((reward) => scored(reward, 1)), "a"), groupOf([5, 5, 9].map((reward) => scored(reward, 1)), "b")];
      for (const id of ["flat", "process", "gigpo"] as const) close((perTurn(layer, groups, credit(layer, id, { eps: 0, omega: 0 }))[0] ?? []).flat(), [1, -1, 1, -1]);
      close((perTurn(layer, groups, credit(layer, "reinforce-plus-plus-baseline"))[0] ?? []).flat().map(Math.sign), [1, -1, 1, -1]);
    },
    plants: [
      { file: "credit/flat.ts", right: "members.map(returnOf)", wrong: "groups.flatMap((group) => group.members).map(returnOf)" },
      { file: "credit/flat.ts", right: "members.map(returnOf)", wrong: "members.slice(0, 1).map(returnOf)" },
      { file: "credit/scorable.ts", right: "[group]", wrong: "groups" },
      { file: "credit/reinforce-plus-plus-baseline.ts", right: "groups[row] === group", wrong: "true" },
    ],
  },
  {
    name: "5 deviations of nothing: unscorable members, one member, equal rewards",
    check(layer) {
      const alone = [groupOf([scored(1, 2)])];
      const equal = [groupOf([scored(0.1, 2), scored(0.1, 2), scored(0.1, 2)])];
      const beside = [groupOf([scored(1, 1), scored(0, 1), scored(NaN, 1, "failed")])];
      for (const id of ["flat", "process", "gigpo", "hgpo", "mt-grpo", "reinforce", "reinforce-plus-plus", "reinforce-plus-plus-baseline"] as const) {
        for (const change of [{ std: "sample", eps: 0 }, { std: "population", eps: 0 }]) {
          const config = credit(layer, id, change);
          expect(perTurn(layer, [...alone, ...equal], config).flat(2).every(Number.isFinite)).toBe(true);
          const [won, lost, failed] = (perTurn(layer, beside, config)[0] as number[][]).map((values) => values.reduce((sum, value) => sum + value, 0)) as [number, number, number];
          close([won + lost, failed], [0, 0]);
        }
        expect(perTurn(layer, equal, credit(layer, id, { std: "sample", eps: 1e-20 })).flat(2).every((value) => Math.abs(value) < 1e-6)).toBe(true);
      }
      const oneToken = { ...judged({ sequences: [[{ read: 1, sampled: 1 }]] }), rewards: { perTurn: new Float32Array(1), terminal: 1 } };
      close(perTurn(layer, [groupOf([oneToken])], credit(layer, "reinforce-plus-plus")).flat(2), [0, 0]);
      expect(layer.golden.GOLDEN_FUNCTIONS["dynamicSampling"]?.({ groups: [[1, null, 1], [1, null], [1, null, 0]] })).toEqual({ keep: [false, false, true] });
    },
    plants: [
      { file: "credit/flat.ts", right: "isConstant(scorable)", wrong: "false" },
      { file: "credit/flat.ts", right: "reward !== null", wrong: "true" },
      { file: "credit/scorable.ts", right: 'trajectory.ending !== "failed"', wrong: "true" },
      { file: "returns.ts", right: "value !== null", wrong: "true" },
      { file: "whiten.ts", right: "isConstant(counted)", wrong: "false" },
    ],
  },
  {
    name: "6 length bias, and averages over padding",
    check(layer) {
      const many = batchOfMany(layer);
      const { rows, length } = many.batch;
      const wider = length + 3;
      const widened = <A extends Float32Array | Uint8Array>(values: A, into: A): A => {
        for (let row = 0; row < rows; row += 1) into.set(values.subarray(row * length, (row + 1) * length), row * wider);
        return into;
      };
      // A row more, of padding alone.
      const floats = (values: Float32Array | undefined): Float32Array => widened(values as Float32Array, new Float32Array((rows + 1) * wider));
      const batch = {
        ...many.batch, rows: rows + 1, length: wider, mask: widened(many.batch.mask, new Uint8Array((rows + 1) * wider)),
        trajectoryOfRow: Uint32Array.of(...many.batch.trajectoryOfRow, 0),
        advantages: floats(many.batch.advantages), behaviorLogprobs: floats(many.batch.behaviorLogprobs), returns: floats(many.batch.returns),
      };
      const stats = Object.fromEntries(Object.entries(many.stats).map(([name, values]) => [name, floats(values as Float32Array)])) as unknown as TokenStats;
      for (const id of Object.keys(layer.objectives.OBJECTIVES) as ObjectiveConfig["id"][]) {
        for (const aggregation of ["tokenMean", "sequenceMean"]) {
          const nonzero = (values: readonly number[]): number[] => values.filter((value) => value !== 0);
          const change = { ...TERMS, ...("aggregation" in layer.objectives.OBJECTIVES[id].defaults ? { aggregation } : {}) };
          close(nonzero(gradients(layer, { batch, stats }, id, change)), nonzero(gradients(layer, many, id, change)));
        }
      }
      // A long sequence and a short one pull alike per sequence, all tokens alike per token.
      const [long, short] = [[0, 0, 0, 0], [0]];
      const slopes = (aggregation: string): number[] =>
        (golden(layer, "sftLoss", { logprobs: [long, short], mask: [[1, 1, 1, 1], [1]], aggregation })["gradLogprobs"] ?? []).map((row) => row.reduce((sum, slope) => sum + slope, 0));
      close(slopes("sequenceMean"), [-0.5, -0.5]);
      close(slopes("tokenMean"), [-0.8, -0.2]);
    },
    plants: [
      { file: "objectives/token-rows.ts", right: "filled * sampled", wrong: "rows * sampled" },
      { file: "objectives/token-rows.ts", right: "filled * sampled", wrong: "tokens" },
      { file: "masked-rows.ts", right: "mask[index] !== 0", nth: 2, wrong: "true" },
      { file: "objectives/token-rows.ts", right: "ofUnit.size", wrong: "unitOfRow.length" },
    ],
  },
  {
    name: "7 off by one between logits, mask and reward",
    check(layer) {
      const made = judged({ sequences: [[{ read: 2, sampled: 1 }, { read: 1, sampled: 2 }]] });
      const member = { ...made, rewards: { perTurn: Float32Array.of(0.5, 0), terminal: 1 } };
      const [batch] = layer.batch.makeMinibatches([groupOf([member])], [[{ perTurn: Float32Array.of(3, -4) }]], 1).batches;
      expect([...(batch?.mask ?? [])]).toEqual([0, 0, 1, 0, 1, 1]);
      expect([...(batch?.advantages ?? [])]).toEqual([0, 0, 3, 0, -4, -4]);
      expect([...(batch?.returns ?? [])]).toEqual([0, 0, 1.5, 0, 1, 1]);
      // The terminal reward is paid with the last turn, and there is nothing to pay it with where no action was taken.
      const groups = [groupOf([member, { ...scored(1, 0), rewards: { perTurn: new Float32Array(), terminal: 1 } }, scored(0, 2)])];
      close((perTurn(layer, groups, credit(layer, "process", { centring: "none" }))[0] as number[][]).flat(), [1.5, 1, 0, 0]);
      for (const id of ["flat", "reinforce-plus-plus", "gigpo"] as const) expect(perTurn(layer, groups, credit(layer, id))[0]?.[1]).toEqual([]);
      const nothing = { logprobs: [[-1, -2], [-3]], mask: [[0, 0], [0]], aggregation: "tokenMean" };
      expect(golden(layer, "sftLoss", nothing)).toEqual({ loss: 0, gradLogprobs: [[0, 0], [0]] });
    },
    plants: [
      { file: "batch.ts", right: "turn.end", wrong: "turn.end - 1" },
      { file: "batch.ts", right: "start + span.start", wrong: "start + span.start + 1" },
      { file: "returns.ts", right: "rewards.at(-1) as number", wrong: "rewards.at(0)" },
    ],
  },
  {
    name: "8 KL with the wrong sign or the wrong estimator's gradient",
    check(layer) {
      // One token, likelier now than under the reference: a KL loss must make it less likely, whatever estimates it.
      const slope = (klEstimator: string, logprob: number): number => {
        const one = { rows: 1, length: 1, lengths: Uint32Array.of(1), tokens: new Uint32Array(1), mask: Uint8Array.of(1), automatonStates: new Uint16Array(1), trajectoryOfRow: Uint32Array.of(0), pairs: [], advantages: new Float32Array(1), behaviorLogprobs: Float32Array.of(logprob) };
        const stats = { logprobs: Float32Array.of(logprob), entropies: Float32Array.of(1), referenceLogprobs: Float32Array.of(-1), kl: Float32Array.of(0.2) };
        const { dLogprobs, dKl } = layer.objectives.evaluateObjective({ objective: objective(layer, "clipped", { klCoefficient: 0.5, klEstimator }), ...CLIP }, one, stats);
        return (klEstimator === "exact" ? dKl : dLogprobs)?.[0] as number;
      };
      for (const estimator of ["k2", "k3"]) expect([Math.sign(slope(estimator, -0.5)), Math.sign(slope(estimator, -1.5))]).toEqual([1, -1]);
      close([slope("exact", -0.5), slope("k1", -0.5), slope("k2", -0.5), slope("k3", -0.5)], [0.5, 0.5, 0.25, 0.5 * (1 - Math.exp(-0.5))]);
      const { gradLogits } = golden(layer, "klExact", { logits: [[1, 0]], referenceLogits: [[0, 0]], legal: [[1, 1]] });
      expect([Math.sign(gradLogits?.[0]?.[0] as number), Math.sign(gradLogits?.[0]?.[1] as number)]).toEqual([1, -1]);
    },
    plants: [
      { file: "objectives/kl-estimator.ts", right: "logprob - referenceLogprob", wrong: "referenceLogprob - logprob" },
      { file: "objectives/kl-estimator.ts", right: "1 - inverse", wrong: "d" },
      { file: "objectives/terms.ts", right: "klCoefficient * (weights[row] as number)", wrong: "-klCoefficient * weights[row]" },
      { file: "objectives/token-rows.ts", right: "scale * (weights[row] as number)", wrong: "-scale * weights[row]" },
    ],
  },
  {
    name: "9 truncation taken for termination",
    check(layer) {
      const of = (ending: Ending): number[][] => perTurn(layer, [groupOf([{ ...scored(0, 2, ending), values: Float32Array.of(0.25, 0.5, 0.75), tokenValues: [new Float32Array(6).fill(0.5)] }])], credit(layer, "critic", { gamma: 1, lambda: 1, whiten: false, atBudget: "bootstrap" }))[0] as number[][];
      close(of("terminated").flat(), [-0.25, -0.5]);
      close(of("truncated").flat(), [0.5, 0.25]);
      const ended = { rewards: [1, 0], values: [0.5, 0.25], lastValue: 9, terminatedAfter: [1, 1], gamma: 1, lambda: 1 };
      close((golden(layer, "gaeTurns", ended)["advantages"] ?? []).flat(), [0.5, -0.25]);
      const turnsOf = (ending: Ending): number => layer.batch.makeMinibatches([groupOf([scored(1, 3, ending)])], [[{ perTurn: Float32Array.of(1, 1, 1) }]], 1).batches[0]?.mask.reduce((sum, bit) => sum + bit, 0) ?? 0;
      expect([turnsOf("terminated"), turnsOf("truncated"), turnsOf("failed")]).toEqual([6, 6, 0]);
    },
    plants: [
      { file: "credit/critic.ts", right: 'member.trajectory.ending === "terminated"', wrong: "true" },
      { file: "credit/critic.ts", right: 'trajectory.ending === "truncated"', wrong: "false" },
      { file: "credit/critic.ts", right: "terminatedAfter[step] === 1", wrong: "false" },
      { file: "batch.ts", right: 'ending === "failed"', wrong: 'ending !== "terminated"' },
    ],
  },
  {
    name: "10 importance weights that are stale, counted twice, polluted by masked tokens, or another row's",
    check(layer) {
      const many = batchOfMany(layer);
      const { batch, stats } = many;
      const tokens = batch.mask.reduce((sum, bit) => sum + bit, 0);
      const [loss, ...slopes] = gradients(layer, many, "clipped");
      let expected = 0;
      for (const [at, bit] of batch.mask.entries()) {
        const ratio = Math.exp((stats.logprobs[at] as number) - (batch.behaviorLogprobs[at] as number));
        const advantage = batch.advantages[at] as number;
        if (bit === 1) expected += Math.max(-advantage * ratio, -advantage * Math.min(Math.max(ratio, 0.8), 1.28)) / tokens;
        if (bit === 1 && ratio > 0.8 && ratio < 1.28) close([slopes[at] as number], [(-advantage * ratio) / tokens]);
      }
      close([loss as number], [expected]);
      const inputs = { logprobs: [[-1, 9, -0.5]], oldLogprobs: [[-1.5, -9, -1]], mask: [[1, 0, 1]], advantages: [1], clipLow: 0.9, clipHigh: 9 };
      close([(golden(layer, "gspoLoss", inputs)["ratios"] as unknown as number[])[0] as number], [Math.exp(0.5)]);
      // Every row has its own trajectory's credit.
      const groups = [groupOf([scored(1, 2), scored(0, 1)])];
      const [two] = layer.batch.makeMinibatches(groups, [[{ perTurn: Float32Array.of(1, 2) }, { perTurn: Float32Array.of(-3) }]], 1).batches;
      expect([...(two?.advantages ?? [])]).toEqual([0, 1, 1, 0, 2, 2, 0, -3, -3, 0, 0, 0]);
      const apart = judged({ sequences: [[{ read: 1, sampled: 1 }], [{ read: 1, sampled: 1 }]] });
      const [split] = layer.batch.makeMinibatches([groupOf([{ ...apart, rewards: { perTurn: new Float32Array(2), terminal: 1 } }])], [[{ perTurn: Float32Array.of(1, 2) }]], 1).batches;
      expect([...(split?.advantages ?? [])]).toEqual([0, 1, 0, 2]);
    },
    plants: [
      { file: "objectives/clipped-loss.ts", right: "-advantage * ratio", wrong: "advantage * -ratio * ratio" },
      { file: "objectives/clipped-loss.ts", right: "oldLogprobs[index] as number", wrong: "logprobs[index]" },
      { file: "objectives/gspo.ts", right: "mask[index] === 0", nth: 1, wrong: "false" },
      { file: "batch.ts", right: "advantages[index] as Float32Array", wrong: "advantages[0]" },
    ],
  },
];

// ---------------------------------------------------------------- a wrong sign is seen by the golden values and by training alike

/** By golden function. The biased form of processReturns is missing: its golden values are all 0. */
const FLIPS: Readonly<Record<string, Plant>> = {
  groupAdvantage: { file: "credit/flat.ts", right: "reward - baseline", wrong: "baseline - reward" },
  batchBaselineAdvantage: { file: "credit/reinforce.ts", right: "{ advantages: rewards, movingEnd: null }", wrong: "{ advantages: rewards.map((reward) => -reward), movingEnd: null }" },
  reinforcePlusPlus: { file: "credit/reinforce-plus-plus.ts", right: "tokenRewards[index] as number", wrong: "-tokenRewards[index]" },
  reinforcePlusPlusBaseline: { file: "credit/reinforce-plus-plus-baseline.ts", right: "whiten(values, rows.mask)", wrong: "whiten(values, rows.mask).map((value) => -value)" },
  gaeTurns: { file: "credit/critic.ts", right: "gamma * nextValue - value", wrong: "value - gamma * nextValue" },
  gaeTokens: { file: "credit/critic.ts", right: "pick(tokenRewards, places)", wrong: "pick(tokenRewards, places).map((reward) => -reward)" },
  bilevelGae: { file: "credit/bilevel.ts", right: "gamma * (own[step + 1] ?? 0) - (own[step] as number)", wrong: "own[step] - gamma * (own[step + 1] ?? 0)" },
  processReturns: { file: "credit/process.ts", right: "centreAmong(returns, (_, turn) => turn, settings)", wrong: "centreAmong(returns.map((list) => list.map((value) => -value)), (_, turn) => turn, settings)" },
  mtGrpo: { file: "credit/mt-grpo.ts", right: "value + coefficient * (ofTurn[index] as number)", wrong: "value - coefficient * ofTurn[index]" },
  gigpo: { file: "credit/gigpo.ts", right: "(episode[member] as number) + omega * value", wrong: "episode[member] - omega * value" },
  hgpo: { file: "credit/hgpo.ts", right: "weight * advantage", wrong: "-weight * advantage" },
  hierarchicalGroups: { file: "credit/hierarchical.ts", right: "centred[place] as number", wrong: "-centred[place]" },
  istarStepScores: { file: "credit/istar.ts", right: "sum + (logprobPrm[index] as number) - (logprobPolicyOld[index] as number)", wrong: "sum - logprobPrm[index] + logprobPolicyOld[index]" },
  istarAdvantages: { file: "credit/istar.ts", right: "(episode[member] as number) + omega * value", wrong: "episode[member] - omega * value" },
  primeLoss: { file: "credit/prime.ts", right: "(prm[index] as number) - (reference[index] as number)", wrong: "reference[index] - prm[index]" },
  branchValues: { file: "credit/branching.ts", right: "reward + next(turn) - (values[turn] as number)", wrong: "values[turn] - reward - next(turn)" },
  randomReward: { file: "rewards/coin-flip.ts", right: "draw() < rate", wrong: "draw() >= rate" },
  overlongPenalty: { file: "rewards/overlong.ts", right: "length - (maxLength - buffer)", nth: 2, wrong: "maxLength - buffer - length" },
  clippedLoss: { file: "objectives/clipped-loss.ts", right: "-advantage * ratio", wrong: "advantage * ratio" },
  gspoLoss: { file: "objectives/gspo.ts", right: "-(policy.advantages[index] as number) * ratio", wrong: "policy.advantages[index] * ratio" },
  cispoLoss: { file: "objectives/cispo.ts", right: "-(weights[row] as number) * held", wrong: "weights[row] * held" },
  dpoLoss: { file: "objectives/dpo.ts", right: "(rewards[chosen] as number) - (rewards[rejected] as number)", wrong: "rewards[rejected] - rewards[chosen]" },
  raftSelection: { file: "objectives/raft.ts", right: "Math.max(reward ?? 0, 0)", wrong: "Math.min(reward ?? 0, 0)" },
  valueLoss: { file: "objectives/value.ts", right: "(values[index] as number) - (returns[index] as number)", wrong: "returns[index] - values[index]" },
  klEstimators: { file: "objectives/kl-estimator.ts", right: "logprob - referenceLogprob", wrong: "referenceLogprob - logprob" },
};

const file = JSON.parse(readFileSync("test/fixtures/golden.json", "utf8")) as unknown;
const failing = (layer: Layer): ReadonlySet<string> => new Set(layer.golden.runGolden(file).filter(({ status }) => status !== "pass").map(({ function: name }) => name));

let layer: Layer;
beforeAll(async () => {
  layer = await plant({ ...Object.fromEntries(BUGS.flatMap(({ plants }, bug) => plants.map((fault, index) => [`bug/${bug}/${index}`, fault]))), ...FLIPS });
});

test.each(BUGS.map((bug, index) => [bug.name, bug, index] as const))("bug %s", (_, { check, plants }, bug) => {
  check(layer);
  for (const index of plants.keys()) expect(() => withPlant(`bug/${bug}/${index}`, () => check(layer)), JSON.stringify(plants[index])).toThrow(/\S/);
});

test("no fault planted, nothing fails and nothing differs", () => {
  expect(failing(layer)).toEqual(new Set());
  expect(everything(layer)).toBe(everything(layer));
});

test.each(Object.keys(FLIPS))("a wrong sign in %s fails its golden values and changes what training gets", (name) => {
  expect(withPlant(name, () => failing(layer)).has(name)).toBe(true);
  expect(withPlant(name, () => everything(layer))).not.toBe(everything(layer));
});
