import fc from "fast-check";
import { expect, test } from "vitest";
import { cispoLoss } from "#algorithms/objectives/cispo.ts";
import { clippedLoss } from "#algorithms/objectives/clipped-loss.ts";
import type { ClipSettings } from "#algorithms/objectives/clipped-loss.ts";
import { dpoLoss } from "#algorithms/objectives/dpo.ts";
import { gspoLoss } from "#algorithms/objectives/gspo.ts";
import { klEstimate } from "#algorithms/objectives/kl-estimator.ts";
import { raftSelection } from "#algorithms/objectives/raft.ts";
import { policyGradientLoss } from "#algorithms/objectives/reinforce.ts";
import { sftLoss } from "#algorithms/objectives/sft.ts";
import { aggregate, weighRows, weighUnits } from "#algorithms/objectives/token-rows.ts";
import type { Aggregation } from "#algorithms/objectives/token-rows.ts";
import { valueLoss } from "#algorithms/objectives/value.ts";

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

const unitsOf = ({ starts }: Case): number[] => Array.from({ length: starts.length - 1 }, (_, row) => row >> 1);
/** The same advantage for all tokens of a unit. */
const evened = (made: Case): Case => ({ ...made, advantages: made.advantages.map((_, index) => {
  const row = made.starts.findLastIndex((start, at) => start <= index && at < made.starts.length - 1);
  return [-1.5, 2][(row >> 1) % 2] as number;
}) });
const gspoOf = (made: Case, gradient = new Float64Array(made.mask.length), clip = { clipLow: 0.2, clipHigh: 0.28 }) =>
  gspoLoss(weighUnits(made, unitsOf(made)), unitsOf(made), made, clip, gradient);

test("the gradient of GSPO equals differences where a trajectory has one advantage; a unit may have several rows", () => {
  fc.assert(fc.property(caseOf.map(evened), (made) => {
    const gradient = new Float64Array(made.mask.length);
    const { ratios } = gspoOf(made, gradient);
    fc.pre(ratios.every((ratio) => Math.abs(ratio - 0.8) > 1e-3 && Math.abs(ratio - 1.28) > 1e-3));
    expectClose(gradient, differences(made.logprobs, (logprobs) => gspoOf({ ...made, logprobs }).loss), 1e-6);
  }));
});

test("GSPO: where the advantage varies each token pulls with its own, by the trajectory's ratio", () => {
  const made: Case = { starts: [0, 2, 3], mask: [1, 1, 1], oldLogprobs: [-1, -1, -1], logprobs: [-1, -0.7, -1.3], advantages: [1, -2, 4] };
  const gradient = new Float64Array(3);
  const { loss, ratios, clipFraction } = gspoOf(made, gradient);
  expectClose(ratios, [1], 1e-12);
  expect([loss, clipFraction]).toEqual([-1, 0]);
  expectClose(gradient, [-1 / 3, 2 / 3, -4 / 3], 1e-12);
  const far = gspoOf({ ...made, logprobs: made.oldLogprobs.map((value) => value + Math.log(1.5)) }, gradient);
  expectClose(far.ratios, [1.5], 1e-12);
  expectClose(gradient, [0, 1, 0], 1e-12);
  expect(far.clipFraction).toBeCloseTo(2 / 3, 12);
});

test("GSPO weighs every trajectory alike, as the mean over sequences does where each has one row", () => {
  fc.assert(fc.property(caseOf, (made) => {
    const rows = unitsOf(made).map((_, row) => row);
    expectClose(weighUnits(made, rows).weights, rowsOf(made, "sequenceMean").weights, 1e-12);
    const units = weighUnits(made, unitsOf(made));
    expect(aggregate(units, made.mask)).toBeCloseTo(made.mask.includes(1) ? 1 : 0, 12);
    expect(units.tokens).toBe(rowsOf(made, "tokenMean").tokens);
  }));
});

test("CISPO pulls with the bounded ratio as a fixed weight, and drops no token", () => {
  fc.assert(fc.property(caseOf, aggregationOf, (made, aggregation) => {
    const gradient = new Float64Array(made.mask.length);
    const clip = { clipLow: 0.2, clipHigh: 0.28 };
    const { loss, clipFraction } = cispoLoss(rowsOf(made, aggregation), made, clip, gradient);
    // Held fixed, the weights belong to the advantages.
    const weighed = made.advantages.map((advantage, index) => advantage * Math.min(Math.max(Math.exp((made.logprobs[index] as number) - (made.oldLogprobs[index] as number)), 0.8), 1.28));
    const scratch = new Float64Array(made.mask.length);
    const fixed = (logprobs: readonly number[]): number => policyGradientLoss(rowsOf(made, aggregation), logprobs, weighed, scratch);
    expect(loss).toBeCloseTo(fixed(made.logprobs), 10);
    expectClose(gradient, differences(made.logprobs, fixed));
    const bounded = made.mask.filter((bit, index) => bit === 1 && ![0.9, 1, 1.1, 1.25].some((ratio) => Math.abs((made.logprobs[index] as number) - (made.oldLogprobs[index] as number) - Math.log(ratio)) < 1e-9));
    expect(clipFraction).toBeCloseTo(bounded.length / Math.max(1, made.mask.filter((bit) => bit === 1).length), 12);
  }));
});

test("the plain policy gradient equals differences and the clipped one before the first step", () => {
  fc.assert(fc.property(caseOf, aggregationOf, (made, aggregation) => {
    const [plain, surrogate, scratch] = [new Float64Array(made.mask.length), new Float64Array(made.mask.length), new Float64Array(made.mask.length)];
    policyGradientLoss(rowsOf(made, aggregation), made.oldLogprobs, made.advantages, plain);
    expectClose(plain, differences(made.oldLogprobs, (logprobs) => policyGradientLoss(rowsOf(made, aggregation), logprobs, made.advantages, scratch)));
    lossOf({ ...made, logprobs: made.oldLogprobs }, aggregation, { clipLow: 0.2, clipHigh: 0.2, dualClip: null }, surrogate);
    expectClose(plain, surrogate, 1e-12);
  }));
});

test("DPO's gradient equals differences; it pulls the chosen up and the rejected down, over all rows of a trajectory", () => {
  const pairs = [{ chosen: 0, rejected: 1 }, { chosen: 2, rejected: 1 }];
  fc.assert(fc.property(caseOf, (made) => {
    const of = (logprobs: readonly number[], gradient = new Float64Array(made.mask.length)) =>
      dpoLoss({ ...made, trajectoryOfRow: unitsOf(made), pairs }, logprobs, made.oldLogprobs, 0.3, gradient);
    const gradient = new Float64Array(made.mask.length);
    of(made.logprobs, gradient);
    expectClose(gradient, differences(made.logprobs, (logprobs) => of(logprobs).loss));
    const rowAt = (index: number): number => made.starts.findLastIndex((start, at) => start <= index && at < made.starts.length - 1);
    for (const [index, slope] of gradient.entries()) expect(Math.sign(slope)).toBe(made.mask[index] === 0 ? 0 : rowAt(index) >> 1 === 1 ? 1 : -1);
  }));
  const gradient = new Float64Array(1).fill(NaN);
  expect(dpoLoss({ starts: [0, 1], mask: [1], trajectoryOfRow: [0], pairs: [] }, [-1], [-2], 0.5, gradient)).toEqual({ loss: 0, rewards: Float64Array.of(0.5), accuracy: 0 });
  expect(gradient).toEqual(new Float64Array(1));
});

test("RAFT leaves failed rollouts out", () => {
  expect(raftSelection([[null, 1, 0.5], [null, 1, 1], [null, null]])).toEqual({
    raft: [[0, 1, 0.5], [0, 1, 1], [0, 0]], reinforceRej: [[0, 1, 0.5], [0, 0, 0], [0, 0]], bestOfN: [1, 1, null],
  });
});

test("KL estimators: slopes are those of their values; on average k1's pulls nowhere, k2's as KL(p ‖ q), k3's as KL(q ‖ p)", () => {
  const softmax = (logits: readonly number[]): number[] => {
    const sum = logits.reduce((total, logit) => total + Math.exp(logit), 0);
    return logits.map((logit) => Math.exp(logit) / sum);
  };
  const kl = (p: readonly number[], q: readonly number[]): number => p.reduce((sum, value, token) => sum + value * Math.log(value / (q[token] as number)), 0);
  const logitsOf = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 4, maxLength: 4 });
  fc.assert(fc.property(logitsOf, logitsOf, (logits, referenceLogits) => {
    const [p, q] = [softmax(logits), softmax(referenceLogits)];
    for (const estimator of ["k1", "k2", "k3"] as const) {
      const slopes = p.map((value, token) => klEstimate(Math.log(value), Math.log(q[token] as number), estimator).slope);
      for (const [token, value] of p.entries()) {
        const at = (x: number): number => klEstimate(x, Math.log(q[token] as number), estimator).value;
        expect(slopes[token]).toBeCloseTo((at(Math.log(value) + 1e-6) - at(Math.log(value) - 1e-6)) / 2e-6, 5);
      }
      // d log p(token)/d logit = onehot - p, weighed by p(token): what a sampled loss has on average.
      const expected = logits.map((_, logit) => p.reduce((sum, value, token) => sum + value * (slopes[token] as number) * ((token === logit ? 1 : 0) - (p[logit] as number)), 0));
      const exact = differences(logits, (moved) => (estimator === "k1" ? 0 : estimator === "k2" ? kl(softmax(moved), q) : kl(q, softmax(moved))));
      expectClose(expected, exact, 1e-6);
    }
    const values = p.map((value, token) => (["k1", "k3"] as const).map((estimator) => klEstimate(Math.log(value), Math.log(q[token] as number), estimator).value));
    for (const which of [0, 1]) expect(p.reduce((sum, value, token) => sum + value * ((values[token] as number[])[which] as number), 0)).toBeCloseTo(kl(p, q), 8);
  }));
});
