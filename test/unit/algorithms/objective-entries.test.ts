import * as v from "valibot";
import { expect, test } from "vitest";
import { evaluateObjective } from "#algorithms/objectives/implementations.ts";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import type { ObjectiveConfig } from "#algorithms/objectives/registry.ts";
import { ConfigError } from "#core/errors.ts";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import { createRng } from "#core/rng.ts";

type Id = ObjectiveConfig["id"];
const IDS = Object.keys(OBJECTIVES) as Id[];
const CLIP = { clipLow: 0.2, clipHigh: 0.28 };
const TERMS = { entropyCoefficient: 0.1, klCoefficient: 0.3, valueCoefficient: 0.5 };
const configOf = (id: Id, change: object = {}): ObjectiveConfig => ({ id, ...OBJECTIVES[id].defaults, ...change }) as ObjectiveConfig;
const evaluate = (objective: ObjectiveConfig, batch: TrainBatch, stats: TokenStats): TokenGrads => evaluateObjective({ objective, ...CLIP }, batch, stats);

/** Every objective with its defaults, with every term on, and with settings that take another way through it. */
const VARIANTS: Partial<Record<Id, readonly object[]>> = {
  clipped: [{ aggregation: "sequenceMean", dualClip: 3, ...TERMS }, { aggregation: "constant" }],
  cispo: [{ aggregation: "sequenceMean" }],
  raft: [{ selection: "reinforceRej" }, { selection: "bestOfN" }],
};
const CONFIGS = IDS.flatMap((id) => [{}, TERMS, ...["k1", "k2", "k3"].map((klEstimator) => ({ klCoefficient: 0.3, klEstimator })), ...(VARIANTS[id] ?? [])]
  .map((change): [string, ObjectiveConfig] => [`${id} ${JSON.stringify(change)}`, configOf(id, change)]));

const [ROWS, LENGTH] = [4, 6];
const LENGTHS = [6, 4, 1, 5];
/** Three trajectories, the last of two rows; garbage wherever nothing was sampled. */
function batchOf(seed: number, garbage = NaN): { batch: TrainBatch; stats: Required<TokenStats> } {
  const rng = createRng(seed);
  const size = ROWS * LENGTH;
  const inside = (at: number): boolean => at % LENGTH < (LENGTHS[Math.floor(at / LENGTH)] as number);
  const mask = Uint8Array.from({ length: size }, (_, at) => (inside(at) && rng.next() < 0.7 ? 1 : 0));
  const filled = (draw: () => number): Float32Array => Float32Array.from(mask, (bit) => (bit === 1 ? draw() : garbage));
  const behaviorLogprobs = filled(() => -0.2 - 2 * rng.next());
  const trajectoryOfRow = Uint32Array.of(0, 1, 2, 2);
  const advantage = [0.7, -0.4, 0.2];
  return {
    batch: {
      rows: ROWS, length: LENGTH, lengths: Uint32Array.from(LENGTHS), tokens: new Uint32Array(size), mask,
      automatonStates: new Uint16Array(size), trajectoryOfRow, pairs: [{ chosen: 0, rejected: 1 }, { chosen: 0, rejected: 2 }, { chosen: 2, rejected: 1 }],
      advantages: Float32Array.from(mask, (bit, at) => (bit === 1 ? (advantage[trajectoryOfRow[Math.floor(at / LENGTH)] as number] as number) : garbage)),
      behaviorLogprobs, returns: filled(() => rng.next()), groupReturns: [[1, 0, 0.5]],
    },
    stats: {
      logprobs: behaviorLogprobs.map((value) => value + (rng.next() - 0.5) * 0.3), entropies: filled(() => rng.next()),
      referenceLogprobs: filled(() => -1), kl: filled(() => rng.next()), values: filled(() => rng.next()),
    },
  };
}
const sampledMean = ({ mask }: TrainBatch, values: Float32Array): number => {
  const sampled = [...values].filter((_, at) => mask[at] === 1);
  return sampled.reduce((sum, value) => sum + value, 0) / sampled.length;
};

/** Gradients of these hold a weight fixed that depends on the log-probabilities. */
const honest = CONFIGS.filter(([, { id }]) => id !== "cispo");
test.each(honest)("%s: the gradients are those of the loss, with respect to every statistic", (_, config) => {
  for (let seed = 1; seed <= 6; seed += 1) {
    const { batch, stats } = batchOf(seed);
    const grads = evaluate(config, batch, stats);
    const against = (name: keyof TokenStats, gradient: Float32Array | undefined): void => {
      for (const [at, bit] of batch.mask.entries()) {
        const step = 2 ** -10;
        const moved = (by: number): number => evaluate(config, batch, { ...stats, [name]: stats[name].map((value, index) => (index === at ? value + by : value)) }).loss;
        const slope = bit === 0 ? 0 : (moved(step) - moved(-step)) / (2 * step);
        expect(Math.abs((gradient?.[at] ?? 0) - slope), `${name} ${at}`).toBeLessThan(3e-4);
      }
    };
    against("logprobs", grads.dLogprobs);
    against("entropies", grads.dEntropies);
    against("kl", grads.dKl);
    against("values", grads.dValues);
  }
});

test.each(CONFIGS)("%s: what stands where nothing was sampled changes no bit", (_, config) => {
  for (const garbage of [0, 1e30, -1e30, Infinity]) {
    const [plain, dirty] = [batchOf(3), batchOf(3, garbage)];
    expect(evaluate(config, dirty.batch, dirty.stats)).toEqual(evaluate(config, plain.batch, plain.stats));
  }
});

/** Two more columns of padding, and the rows in another order. */
function rearranged({ batch, stats }: ReturnType<typeof batchOf>, order: readonly number[]): { batch: TrainBatch; stats: TokenStats } {
  const wide = <A extends Float32Array | Uint8Array>(values: A, make: (size: number) => A): A => {
    const result = make(ROWS * (LENGTH + 2));
    for (const [to, from] of order.entries()) result.set(values.subarray(from * LENGTH, (from + 1) * LENGTH), to * (LENGTH + 2));
    return result;
  };
  const floats = (values: Float32Array): Float32Array => wide(values, (size) => new Float32Array(size).fill(NaN));
  return {
    batch: {
      ...batch, length: LENGTH + 2, mask: wide(batch.mask, (size) => new Uint8Array(size)),
      lengths: Uint32Array.from(order, (row) => batch.lengths[row] as number), trajectoryOfRow: Uint32Array.from(order, (row) => batch.trajectoryOfRow[row] as number),
      advantages: floats(batch.advantages), behaviorLogprobs: floats(batch.behaviorLogprobs), returns: floats(batch.returns as Float32Array),
    },
    stats: Object.fromEntries(Object.entries(stats).map(([name, values]) => [name, floats(values)])) as unknown as TokenStats,
  };
}
test.each(CONFIGS)("%s: padding and the order of rows change nothing", (_, config) => {
  const plain = batchOf(4);
  const order = [2, 0, 3, 1];
  const moved = rearranged(plain, order);
  const [left, right] = [evaluate(config, plain.batch, plain.stats), evaluate(config, moved.batch, moved.stats)];
  expect(right.loss).toBeCloseTo(left.loss, 6);
  for (const [to, from] of order.entries()) {
    for (let column = 0; column < LENGTH; column += 1)
      expect(right.dLogprobs[to * (LENGTH + 2) + column]).toBeCloseTo(left.dLogprobs[from * LENGTH + column] as number, 6);
  }
  for (const [name, value] of Object.entries(left.metrics)) expect(right.metrics[name]).toBeCloseTo(value, 6);
});

test.each(IDS)("%s: on what the current policy sampled the ratio is 1 and nothing is clipped", (id) => {
  const { batch, stats } = batchOf(5);
  const { metrics, dLogprobs } = evaluate(configOf(id), batch, { ...stats, logprobs: batch.behaviorLogprobs });
  expect(metrics).toMatchObject({ approxKl: 0, maxRatio: 1 });
  expect(metrics["clipFraction"] ?? 0).toBe(0);
  expect(metrics["meanEntropy"]).toBeCloseTo(sampledMean(batch, stats.entropies), 6);
  const other = evaluate(configOf(id), batch, { ...stats, logprobs: batch.behaviorLogprobs.map((value) => value + 0.1) }).metrics;
  expect(other["maxRatio"]).toBeCloseTo(Math.exp(0.1), 5);
  expect(other["approxKl"]).toBeCloseTo(Math.exp(0.1) - 1.1, 5);
  expect(dLogprobs.some((slope) => slope !== 0)).toBe(true);
});

test.each(IDS.filter((id) => id !== "sft"))("%s: pulls up what won and down what lost", (id) => {
  const { batch, stats } = batchOf(5);
  const { dLogprobs } = evaluate(configOf(id), batch, { ...stats, logprobs: batch.behaviorLogprobs });
  const slopesOf = (trajectory: number): number[] => [...dLogprobs].filter((_, at) => batch.mask[at] === 1 && batch.trajectoryOfRow[Math.floor(at / LENGTH)] === trajectory);
  expect(slopesOf(0).every((slope) => slope < 0)).toBe(true);
  expect(slopesOf(1).every((slope) => (id === "raft" ? slope === 0 : slope > 0))).toBe(true);
});

test("without credit that varies, the policy gradients agree before the first step", () => {
  const { batch, stats } = batchOf(6);
  const on = { ...stats, logprobs: batch.behaviorLogprobs };
  const [surrogate, bounded, plain] = (["clipped", "cispo", "reinforce"] as const).map((id) => evaluate(configOf(id), batch, on).dLogprobs);
  expect(bounded).toEqual(surrogate);
  expect(plain).toEqual(surrogate);
});

test("the algorithm's clip range reaches the losses that clip, each end at its side", () => {
  const { batch, stats } = batchOf(2);
  const clippedShare = (id: Id, ratio: number, advantage: number): number => evaluateObjective(
    { objective: configOf(id), clipLow: 0.1, clipHigh: 0.5 },
    { ...batch, advantages: batch.advantages.map(() => advantage) }, { ...stats, logprobs: batch.behaviorLogprobs.map((value) => value + Math.log(ratio)) },
  ).metrics["clipFraction"] as number;
  for (const id of ["clipped", "gspo", "cispo"] as const) {
    expect([clippedShare(id, 1.4, 1), clippedShare(id, 0.95, -1)]).toEqual([0, 0]);
    expect(clippedShare(id, 1.6, 1)).toBeCloseTo(1, 10);
    expect(clippedShare(id, 0.8, -1)).toBeCloseTo(1, 10);
  }
});

test.each(IDS)("%s: terms that are off give no gradient; the loss is the sum of the parts", (id) => {
  const { batch, stats } = batchOf(3);
  const of = (change: object) => evaluate(configOf(id, change), batch, stats);
  const plain = of({});
  expect(Object.keys(plain).toSorted()).toEqual(["dLogprobs", "loss", "metrics"]);
  const average = (values: Float32Array): number => id === "gspo" ? [0, 1, 2].map((trajectory) => {
    const own = [...values].filter((_, at) => batch.mask[at] === 1 && batch.trajectoryOfRow[Math.floor(at / LENGTH)] === trajectory);
    return own.reduce((sum, value) => sum + value, 0) / own.length;
  }).reduce((sum, value) => sum + value / 3, 0) : sampledMean(batch, values);
  const added = (change: object): number => of(change).loss - plain.loss;
  expect(added({ entropyCoefficient: 0.5 })).toBeCloseTo(-0.5 * average(stats.entropies), 6);
  expect(added({ klCoefficient: 0.5 })).toBeCloseTo(0.5 * average(stats.kl), 6);
  const squares = stats.values.map((value, at) => (value - (batch.returns?.[at] as number)) ** 2);
  expect(added({ valueCoefficient: 0.5 })).toBeCloseTo(0.25 * sampledMean(batch, squares), 6);
  expect(added({ klCoefficient: 0.5, klEstimator: "k1" })).toBeCloseTo(0.5 * average(stats.logprobs.map((value) => value + 1)), 6);
});

test.each(IDS)("%s: a term without its statistic is a fault of the configuration", (id) => {
  const { batch, stats } = batchOf(1);
  const { kl: _, values: __, referenceLogprobs, ...bare } = stats;
  const given = id === "dpo" ? { ...bare, referenceLogprobs } : bare;
  const of = (change: object) => () => evaluate(configOf(id, change), batch, given);
  expect(of({ klCoefficient: 0.1 })).toThrow(ConfigError);
  expect(of({ klCoefficient: 0.1 })).toThrow("algorithm.objective.klCoefficient is not 0, but there is no reference policy; allowed: 0");
  expect(of({ valueCoefficient: 0.1 })).toThrow(/no value head/);
  if (id !== "dpo") expect(of({ klCoefficient: 0.1, klEstimator: "k3" })).toThrow(/no reference policy/);
  const { returns: ___, ...without } = batch;
  expect(() => evaluate(configOf(id, { valueCoefficient: 0.1 }), without, stats)).toThrow(/no return to fit/);
});

test("DPO needs a reference, RAFT returns", () => {
  const { batch, stats } = batchOf(1);
  const { referenceLogprobs: _, ...bare } = stats;
  expect(() => evaluate(configOf("dpo"), batch, bare)).toThrow('algorithm.objective is "dpo", but there is no reference policy');
  const { groupReturns: __, ...without } = batch;
  expect(() => evaluate(configOf("raft"), without, stats)).toThrow(ConfigError);
});

test("RAFT imitates by trajectory: what was paid, mixed groups alone, or the best", () => {
  const { batch, stats } = batchOf(8);
  const tokens = batch.mask.reduce((sum, bit) => sum + bit, 0);
  const weights = (selection: string, groupReturns: TrainBatch["groupReturns"]): number[] => {
    const { dLogprobs } = evaluate(configOf("raft", { selection }), { ...batch, ...(groupReturns && { groupReturns }) }, stats);
    return [0, 1, 2].map((trajectory) => {
      const at = [...batch.mask.keys()].find((index) => batch.mask[index] === 1 && batch.trajectoryOfRow[Math.floor(index / LENGTH)] === trajectory) as number;
      return Math.round(-(dLogprobs[at] as number) * tokens * 1e4) / 1e4;
    });
  };
  expect(weights("raft", [[1, -1], [0.5]])).toEqual([1, 0, 0.5]);
  expect(weights("reinforceRej", [[1, -1], [0.5]])).toEqual([1, -1, 0]);
  expect(weights("bestOfN", [[0.5, 1], [0]])).toEqual([0, 1, 0]);
  expect(weights("bestOfN", [[1, 1, 0]])).toEqual([1, 0, 0]);
});

test("imitation pulls up whatever it is shown", () => {
  const { batch, stats } = batchOf(5);
  const { dLogprobs } = evaluate(configOf("sft"), { ...batch, advantages: batch.advantages.map((value) => -value) }, stats);
  expect([...dLogprobs]).toEqual([...evaluate(configOf("sft"), batch, stats).dLogprobs]);
  expect([...dLogprobs].every((slope, at) => (batch.mask[at] === 1 ? slope < 0 : slope === 0))).toBe(true);
  const { groupReturns, ...demonstrations } = batch;
  expect(groupReturns).toBeDefined();
  expect(Object.keys(evaluate(configOf("sft"), demonstrations, stats).metrics)).toEqual(["meanEntropy"]);
});

test("imitation on a batch", () => {
  const { batch, stats } = batchOf(5);
  const { loss, dLogprobs, metrics } = evaluate(configOf("sft"), batch, stats);
  const sampled = [...stats.logprobs].filter((_, at) => batch.mask[at] === 1);
  expect(loss).toBeCloseTo(-sampled.reduce((sum, value) => sum + value, 0) / sampled.length, 10);
  expect([...dLogprobs]).toEqual([...batch.mask].map((bit) => (bit === 1 ? Math.fround(-1 / sampled.length) : 0)));
  expect(metrics["meanEntropy"]).toBeGreaterThan(0);
});

test("nothing sampled: no loss, no gradient", () => {
  const { batch, stats } = batchOf(1);
  const empty = { ...batch, mask: new Uint8Array(ROWS * LENGTH), pairs: [] };
  for (const [name, config] of CONFIGS) {
    const { loss, dLogprobs } = evaluate(config, empty, stats);
    expect(Math.abs(loss), name).toBe(0);
    expect(dLogprobs.every((slope) => slope === 0), name).toBe(true);
  }
});

test("entries carry their key as id, and defaults that their schema takes", () => {
  for (const [key, { id, schema, defaults }] of Object.entries(OBJECTIVES)) {
    expect(id).toBe(key);
    expect(v.parse(schema, defaults)).toEqual(defaults);
  }
});
