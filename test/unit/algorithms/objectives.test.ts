import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import { clipped } from "#algorithms/objectives/clipped.ts";
import { clippedLoss } from "#algorithms/objectives/clipped-loss.ts";
import type { ClipSettings } from "#algorithms/objectives/clipped-loss.ts";
import { evaluateObjective, OBJECTIVES } from "#algorithms/objectives/registry.ts";
import { sft, sftLoss } from "#algorithms/objectives/sft.ts";
import { aggregate, weighRows } from "#algorithms/objectives/token-rows.ts";
import type { Aggregation } from "#algorithms/objectives/token-rows.ts";
import { valueLoss } from "#algorithms/objectives/value.ts";
import { ConfigError } from "#core/errors.ts";
import type { TokenStats, TrainBatch } from "#core/objective.ts";
import { createRng } from "#core/rng.ts";

interface Case {
  readonly starts: number[];
  readonly mask: number[];
  readonly logprobs: number[];
  readonly oldLogprobs: number[];
  readonly advantages: number[];
}

/** Away from the kinks of the loss by more than a difference step. */
const RATIOS = [0.4, 0.75, 0.9, 1, 1.1, 1.25, 2, 4];
const token = fc.record({ sampled: fc.constantFrom(0, 1), ratio: fc.constantFrom(...RATIOS), old: fc.double({ min: -4, max: -0.1, noNaN: true }), advantage: fc.constantFrom(-2, -0.5, 0, 0.5, 2) });
const caseOf: fc.Arbitrary<Case> = fc.array(fc.array(token, { maxLength: 5 }), { minLength: 1, maxLength: 4 }).map((rows) => {
  const tokens = rows.flat();
  return {
    starts: rows.reduce<number[]>((starts, row) => [...starts, (starts.at(-1) ?? 0) + row.length], [0]),
    mask: tokens.map(({ sampled }) => sampled),
    oldLogprobs: tokens.map(({ old }) => old),
    logprobs: tokens.map(({ old, ratio }) => old + Math.log(ratio)),
    advantages: tokens.map(({ advantage }) => advantage),
  };
});
const aggregationOf = fc.constantFrom<Aggregation>("tokenMean", "sequenceMean", "constant");
const clipOf = fc.record({ clipLow: fc.constant(0.2), clipHigh: fc.constantFrom(0.2, 0.28), dualClip: fc.constantFrom(null, 3) });

const rowsOf = ({ starts, mask }: Case, aggregation: Aggregation) => weighRows(starts, mask, aggregation, 4);
const lossOf = (made: Case, aggregation: Aggregation, clip: ClipSettings, gradient = new Float64Array(made.mask.length)) =>
  clippedLoss(rowsOf(made, aggregation), made, clip, gradient);

/** d loss / d values[index] by central differences. */
function differences(values: readonly number[], loss: (values: number[]) => number, step = 1e-6): number[] {
  return values.map((_, index) => {
    const moved = (by: number): number[] => values.map((value, other) => (other === index ? value + by : value));
    return (loss(moved(step)) - loss(moved(-step))) / (2 * step);
  });
}
const expectClose = (got: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 1e-7): void => {
  expect(got.length).toBe(expected.length);
  for (let index = 0; index < got.length; index += 1) expect(Math.abs((got[index] as number) - (expected[index] as number))).toBeLessThan(tolerance);
};

test("the clipped loss by hand: one token of each kind", () => {
  const of = (ratio: number, advantage: number, dualClip: number | null = null): [number, number] => {
    const gradient = new Float64Array(1);
    const rows = weighRows([0, 1], [1], "tokenMean", null);
    const { loss } = clippedLoss(rows, { logprobs: [Math.log(ratio)], oldLogprobs: [0], advantages: [advantage] }, { clipLow: 0.2, clipHigh: 0.28, dualClip }, gradient);
    return [loss, gradient[0] as number].map((x) => Math.round(x * 1e9) / 1e9) as [number, number];
  };
  expect(of(1, 2)).toEqual([-2, -2]);
  expect(of(1.2, 2)).toEqual([-2.4, -2.4]);
  expect(of(1.5, 2)).toEqual([-2.56, 0]);
  expect(of(0.5, 2)).toEqual([-1, -1]);
  expect(of(1.5, -2)).toEqual([3, 3]);
  expect(of(0.5, -2)).toEqual([1.6, 0]);
  expect(of(5, -2)).toEqual([10, 10]);
  expect(of(5, -2, 3)).toEqual([6, 0]);
  expect(of(2, -2, 3)).toEqual([4, 4]);
  expect(of(5, 2, 3)).toEqual([-2.56, 0]);
});

test("the gradient of the clipped loss equals differences", () => {
  fc.assert(fc.property(caseOf, aggregationOf, clipOf, (made, aggregation, clip) => {
    const gradient = new Float64Array(made.mask.length);
    lossOf(made, aggregation, clip, gradient);
    expectClose(gradient, differences(made.logprobs, (logprobs) => lossOf({ ...made, logprobs }, aggregation, clip).loss), 1e-6);
  }));
});

test("before the first step the gradient is the policy gradient, -weight·A", () => {
  fc.assert(fc.property(caseOf, aggregationOf, clipOf, (made, aggregation, clip) => {
    const gradient = new Float64Array(made.mask.length);
    const result = lossOf({ ...made, logprobs: made.oldLogprobs }, aggregation, clip, gradient);
    const { starts, weights, tokens } = rowsOf(made, aggregation);
    const rowAt = (index: number): number => starts.length - 2 - [...(starts as number[])].toReversed().slice(1).findIndex((start) => start <= index);
    expectClose(gradient, made.advantages.map((advantage, index) => (made.mask[index] === 0 ? 0 : -advantage * (weights[rowAt(index)] as number))), 1e-12);
    expect(result).toMatchObject({ clipFraction: 0, approxKl: 0, maxRatio: tokens === 0 ? 0 : 1 });
  }));
});

test("what stands where nothing was sampled changes no bit", () => {
  fc.assert(fc.property(caseOf, aggregationOf, clipOf, fc.constantFrom(1e300, -1e300, Infinity, NaN), (made, aggregation, clip, garbage) => {
    const spoil = (values: readonly number[]): number[] => values.map((value, index) => (made.mask[index] === 0 ? garbage : value));
    const spoilt = { ...made, logprobs: spoil(made.logprobs), oldLogprobs: spoil(made.oldLogprobs), advantages: spoil(made.advantages) };
    const [plain, dirty] = [new Float64Array(made.mask.length), new Float64Array(made.mask.length).fill(NaN)];
    expect(lossOf(spoilt, aggregation, clip, dirty)).toEqual(lossOf(made, aggregation, clip, plain));
    expect(dirty).toEqual(plain);
  }));
});

test("padding, and rows without a sampled token, change nothing but the count of a constant average", () => {
  fc.assert(fc.property(caseOf, fc.constantFrom<Aggregation>("tokenMean", "sequenceMean"), clipOf, (made, aggregation, clip) => {
    const insert = <T>(values: readonly T[], extra: T): T[] => made.starts.slice(0, -1).flatMap((start, row) => [...values.slice(start, made.starts[row + 1]), extra, extra]);
    const padded = {
      starts: [...made.starts.map((start, row) => start + 2 * row), (made.starts.at(-1) as number) + 2 * (made.starts.length - 1) + 1],
      mask: [...insert(made.mask, 0), 0], logprobs: [...insert(made.logprobs, NaN), NaN],
      oldLogprobs: [...insert(made.oldLogprobs, NaN), NaN], advantages: [...insert(made.advantages, NaN), NaN],
    };
    expect(lossOf(padded, aggregation, clip)).toEqual(lossOf(made, aggregation, clip));
  }));
});

test("the three averages by hand", () => {
  const average = (aggregation: Aggregation): number => aggregate(weighRows([0, 2, 3, 5], [1, 1, 1, 0, 0], aggregation, 10), [1, 2, 9, NaN, NaN]);
  expect(average("tokenMean")).toBeCloseTo(12 / 3, 12);
  expect(average("sequenceMean")).toBeCloseTo((1.5 + 9) / 2, 12);
  expect(average("constant")).toBeCloseTo(12 / 30, 12);
  expect(() => weighRows([0, 1], [1], "constant", null)).toThrow("constant is null; it must be positive");
});

test("nothing sampled: loss 0, gradient 0, no NaN", () => {
  for (const aggregation of ["tokenMean", "sequenceMean", "constant"] as const) {
    const made = { starts: [0, 2, 2], mask: [0, 0], logprobs: [NaN, NaN], oldLogprobs: [NaN, NaN], advantages: [NaN, NaN] };
    const gradient = new Float64Array(2);
    expect(lossOf(made, aggregation, { clipLow: 0.2, clipHigh: 0.2, dualClip: 3 }, gradient)).toEqual({ loss: 0, clipFraction: 0, approxKl: 0, maxRatio: 0 });
    expect(sftLoss(rowsOf(made, aggregation), made.logprobs, gradient)).toBe(0);
    expect(valueLoss(rowsOf(made, aggregation), { values: [NaN, NaN], oldValues: [], returns: [NaN, NaN] }, 0.2, gradient)).toEqual({ loss: 0, clipFraction: 0 });
    expect(gradient.every((value) => value === 0)).toBe(true);
  }
});

test("approxKl is the k3 estimate, never negative, and maxRatio the largest ratio", () => {
  fc.assert(fc.property(caseOf, clipOf, (made, clip) => {
    const ratios = made.logprobs.flatMap((value, index) => (made.mask[index] === 1 ? [Math.exp(value - (made.oldLogprobs[index] as number))] : []));
    const { approxKl, maxRatio } = lossOf(made, "sequenceMean", clip);
    expect(approxKl).toBeGreaterThanOrEqual(0);
    expect(approxKl).toBeCloseTo(ratios.length === 0 ? 0 : ratios.reduce((sum, ratio) => sum + ratio - 1 - Math.log(ratio), 0) / ratios.length, 10);
    expect(maxRatio).toBeCloseTo(Math.max(0, ...ratios), 10);
  }));
});

test("the gradient of imitation equals differences, and pulls up what was demonstrated", () => {
  fc.assert(fc.property(caseOf, fc.constantFrom<Aggregation>("tokenMean", "sequenceMean"), (made, aggregation) => {
    const gradient = new Float64Array(made.mask.length);
    const scratch = new Float64Array(made.mask.length);
    expect(sftLoss(rowsOf(made, aggregation), made.logprobs, gradient)).toBeGreaterThan(made.mask.includes(1) ? -2 : -1e-12);
    expectClose(gradient, differences(made.logprobs, (logprobs) => sftLoss(rowsOf(made, aggregation), logprobs, scratch)));
    expect(gradient.every((value, index) => (made.mask[index] === 1 ? value < 0 : value === 0))).toBe(true);
  }));
});

test("the gradient of the value loss equals differences, and pulls towards the return", () => {
  const numbers = fc.constantFrom(-1, -0.35, 0, 0.15, 0.55, 1.3);
  fc.assert(fc.property(caseOf, fc.infiniteStream(numbers), fc.constantFrom(null, 0.2), (made, stream, clip) => {
    const take = (): number[] => made.mask.map(() => stream.next().value as number);
    const [values, oldValues, returns] = [take(), take().map((value) => value + 0.07), take().map((value) => value + 0.013)];
    const rows = rowsOf(made, "tokenMean");
    const gradient = new Float64Array(values.length);
    const scratch = new Float64Array(values.length);
    valueLoss(rows, { values, oldValues, returns }, clip, gradient);
    expectClose(gradient, differences(values, (moved) => valueLoss(rows, { values: moved, oldValues, returns }, clip, scratch).loss));
    for (const [index, slope] of gradient.entries()) if (slope !== 0) expect(Math.sign(slope)).toBe(Math.sign((values[index] as number) - (returns[index] as number)));
  }));
});

// ---------------------------------------------------------------- the registry entry, on a padded batch

const [ROWS, LENGTH] = [3, 6];
const LENGTHS = [6, 4, 1];
function batchOf(seed: number): { batch: TrainBatch; stats: Required<TokenStats> } {
  const rng = createRng(seed);
  const size = ROWS * LENGTH;
  const inside = (at: number): boolean => at % LENGTH < (LENGTHS[Math.floor(at / LENGTH)] as number);
  const mask = Uint8Array.from({ length: size }, (_, at) => (inside(at) && rng.next() < 0.7 ? 1 : 0));
  const filled = (draw: () => number): Float32Array => Float32Array.from(mask, (bit) => (bit === 1 ? draw() : NaN));
  const behaviorLogprobs = filled(() => -0.2 - 2 * rng.next());
  return {
    batch: {
      rows: ROWS, length: LENGTH, lengths: Uint32Array.from(LENGTHS), tokens: new Uint32Array(size), mask,
      automatonStates: new Uint16Array(size), trajectoryOfRow: Uint32Array.of(0, 1, 2), pairs: [],
      advantages: filled(() => 2 * rng.next() - 1), behaviorLogprobs, returns: filled(() => rng.next()),
    },
    stats: {
      logprobs: behaviorLogprobs.map((value) => value + (rng.next() - 0.5) * 0.3), entropies: filled(() => rng.next()),
      referenceLogprobs: filled(() => -1), kl: filled(() => rng.next()), values: filled(() => rng.next()),
    },
  };
}
const CLIP = { clipLow: 0.2, clipHigh: 0.28 };
const WITH_TERMS = { id: "clipped", ...clipped.defaults, aggregation: "sequenceMean", dualClip: 3, entropyCoefficient: 0.1, klCoefficient: 0.3, valueCoefficient: 0.5 } as const;

test("the entry's gradients are those of its loss, with respect to every statistic", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { batch, stats } = batchOf(seed);
    const { dLogprobs, dEntropies, dKl, dValues } = evaluateObjective({ objective: WITH_TERMS, ...CLIP }, batch, stats);
    const against = (name: keyof TokenStats, gradient: Float32Array | undefined): void => {
      for (const [at, bit] of batch.mask.entries()) {
        const step = 2 ** -10;
        const moved = (by: number): number =>
          evaluateObjective({ objective: WITH_TERMS, ...CLIP }, batch, { ...stats, [name]: stats[name].map((value, index) => (index === at ? value + by : value)) }).loss;
        expect(Math.abs((gradient?.[at] as number) - (bit === 0 ? 0 : (moved(step) - moved(-step)) / (2 * step)))).toBeLessThan(3e-4);
      }
    };
    against("logprobs", dLogprobs);
    against("entropies", dEntropies);
    against("kl", dKl);
    against("values", dValues);
  }
});

test("the algorithm's clip range reaches the loss, each end at its side", () => {
  const { batch, stats } = batchOf(2);
  const clippedShare = (ratio: number, advantage: number): number => {
    const { metrics } = evaluateObjective(
      { objective: { id: "clipped", ...clipped.defaults }, clipLow: 0.1, clipHigh: 0.5 },
      { ...batch, advantages: batch.advantages.map(() => advantage) },
      { ...stats, logprobs: batch.behaviorLogprobs.map((value) => value + Math.log(ratio)) },
    );
    return metrics["clipFraction"] as number;
  };
  expect([clippedShare(1.4, 1), clippedShare(1.6, 1), clippedShare(0.95, -1), clippedShare(0.8, -1)]).toEqual([0, 1, 0, 1]);
});

test("terms that are off give no gradient; the loss is the sum of the parts", () => {
  const { batch, stats } = batchOf(3);
  const of = (change: Partial<typeof clipped.defaults>) => evaluateObjective({ objective: { id: "clipped", ...clipped.defaults, ...change }, ...CLIP }, batch, stats);
  const plain = of({});
  expect(Object.keys(plain).toSorted()).toEqual(["dLogprobs", "loss", "metrics"]);
  expect(Object.keys(plain.metrics).toSorted()).toEqual(["approxKl", "clipFraction", "maxRatio", "meanEntropy"]);
  const meanOf = (values: Float32Array): number => {
    const sampled = [...values].filter((_, at) => batch.mask[at] === 1);
    return sampled.reduce((sum, value) => sum + value, 0) / sampled.length;
  };
  expect(plain.metrics["meanEntropy"]).toBeCloseTo(meanOf(stats.entropies), 10);
  expect(of({ entropyCoefficient: 0.5 }).loss).toBeCloseTo(plain.loss - 0.5 * meanOf(stats.entropies), 10);
  expect(of({ klCoefficient: 0.5 }).loss).toBeCloseTo(plain.loss + 0.5 * meanOf(stats.kl), 10);
  const squares = stats.values.map((value, at) => (value - (batch.returns?.[at] as number)) ** 2);
  expect(of({ valueCoefficient: 0.5 }).loss).toBeCloseTo(plain.loss + 0.25 * meanOf(squares), 6);
});

test("a term without its statistic is a fault of the configuration", () => {
  const { batch, stats } = batchOf(1);
  const { kl: _, values: __, ...bare } = stats;
  const of = (change: Partial<typeof clipped.defaults>) => () => evaluateObjective({ objective: { id: "clipped", ...clipped.defaults, ...change }, ...CLIP }, batch, bare);
  expect(of({ klCoefficient: 0.1 })).toThrow(ConfigError);
  expect(of({ klCoefficient: 0.1 })).toThrow("algorithm.objective.klCoefficient is not 0, but there is no reference policy; allowed: 0");
  expect(of({ valueCoefficient: 0.1 })).toThrow(/no value head/);
  const { returns: ___, ...without } = batch;
  expect(() => evaluateObjective({ objective: WITH_TERMS, ...CLIP }, without, stats)).toThrow(/no return to fit/);
});

test("imitation on a batch", () => {
  const { batch, stats } = batchOf(5);
  const { loss, dLogprobs, metrics } = sft(batch, stats, { aggregation: "tokenMean" });
  const sampled = [...stats.logprobs].filter((_, at) => batch.mask[at] === 1);
  expect(loss).toBeCloseTo(-sampled.reduce((sum, value) => sum + value, 0) / sampled.length, 10);
  expect([...dLogprobs]).toEqual([...batch.mask].map((bit) => (bit === 1 ? Math.fround(-1 / sampled.length) : 0)));
  expect(metrics["meanEntropy"]).toBeGreaterThan(0);
});

test("entries carry their key as id, and defaults that their schema takes", () => {
  for (const [key, { id, schema, defaults }] of Object.entries(OBJECTIVES)) {
    expect(id).toBe(key);
    expect(v.parse(schema, defaults)).toEqual(defaults);
  }
});
