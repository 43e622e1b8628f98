import fc from "fast-check";
import { expect, test } from "vitest";
import { mulberry32 } from "#core/mulberry32.ts";
import { bootstrapInterval, isConstant, mean, passAtK, passHatK, populationStd, quantile, sampleStd } from "#core/statistics.ts";

const close = (got: number | null, expected: number, tolerance = 1e-12): void => {
  expect(got).not.toBeNull();
  expect(Math.abs((got as number) - expected)).toBeLessThanOrEqual(tolerance);
};

test("hand numbers", () => {
  expect(mean([1, 2, 6])).toBe(3);
  close(populationStd([1, 2, 6]), Math.sqrt(14 / 3));
  close(sampleStd([1, 2, 6]), Math.sqrt(7));
  expect(sampleStd([4])).toBeNaN();
  expect(populationStd([4])).toBe(0);
  expect(mean([])).toBeNaN();
});

test("quantile, type 7 (numpy.quantile([1, 2, 4, 8], q))", () => {
  const sorted = [1, 2, 4, 8];
  expect([0, 0.25, 0.5, 0.75, 0.9, 1].map((q) => quantile(sorted, q))).toEqual([1, 1.75, 3, 5, 4 + 0.7 * 4, 8].map((x) => expect.closeTo(x, 12) as number));
  expect(quantile([3], 0.4)).toBe(3);
});

test("constant means max - min <= 1e-12", () => {
  expect([[], [5], [5, 5], [0.1, 0.1, 0.1], [1, 1 + 1e-13]].every(isConstant)).toBe(true);
  expect([[1, 2], [0, 1e-11]].some(isConstant)).toBe(false);
});

/** Share of the k-subsets of n trials, c of them successes, that satisfy `wanted`. */
function bySubsets(c: number, n: number, k: number, wanted: (successes: number) => boolean): number {
  let hits = 0;
  let all = 0;
  for (let subset = 0; subset < 2 ** n; subset += 1) {
    const drawn = Array.from({ length: n }, (_, trial) => (subset >> trial) & 1);
    if (drawn.reduce((sum, bit) => sum + bit, 0) !== k) continue;
    all += 1;
    if (wanted(drawn.slice(0, c).reduce((sum, bit) => sum + bit, 0))) hits += 1;
  }
  return hits / all;
}

test("pass^k and pass@k equal counting all k-subsets", () => {
  for (let n = 1; n <= 7; n += 1) {
    for (let c = 0; c <= n; c += 1) {
      for (let k = 1; k <= n; k += 1) {
        close(passHatK([c], [n], k).mean, bySubsets(c, n, k, (successes) => successes === k));
        close(passAtK([c], [n], k).mean, bySubsets(c, n, k, (successes) => successes > 0));
      }
    }
  }
});

test("a task with too few trials is undefined and takes the mean with it", () => {
  expect(passHatK([2, 1], [4, 1], 2)).toEqual({ perTask: [1 / 6, null], mean: null });
  expect(passAtK([2, 1], [4, 1], 2)).toEqual({ perTask: [expect.closeTo(5 / 6, 12), null], mean: null });
  expect(passHatK([], [], 1)).toEqual({ perTask: [], mean: null });
  expect(passHatK([0], [8], 8).perTask).toEqual([0]);
  expect(passAtK([8], [8], 8).perTask).toEqual([1]);
  expect(() => passHatK([3], [2], 1)).toThrow("task 0 has 3 successes in 2 trials");
  expect(() => passAtK([3], [4, 5], 1)).toThrow(RangeError);
});

test("pass@k rises and pass^k falls with k, both from the success rate", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 60 }).chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }))), ([n, c]) => {
    const hat = Array.from({ length: n }, (_, k) => passHatK([c], [n], k + 1).mean as number);
    const at = Array.from({ length: n }, (_, k) => passAtK([c], [n], k + 1).mean as number);
    close(hat[0] as number, c / n);
    close(at[0] as number, c / n);
    expect(hat.every((value, index) => index === 0 || value <= (hat[index - 1] as number))).toBe(true);
    expect(at.every((value, index) => index === 0 || value >= (at[index - 1] as number) - 1e-15)).toBe(true);
  }));
});

test("mulberry32: the draws behind golden.json's randomReward", () => {
  const drawn = (seed: number, rate: number, count: number): number[] => {
    const draw = mulberry32(seed);
    return Array.from({ length: count }, () => (draw() < rate ? 1 : 0));
  };
  expect(drawn(7, 0.5, 8)).toEqual([1, 1, 0, 0, 0, 1, 1, 1]);
  expect(drawn(0, 0.25, 16)).toEqual([0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0]);
});

test("equal streams draw equal tasks whatever the values are", () => {
  const marked = (task: number): number[] => Array.from({ length: 6 }, (_, index) => (index === task ? 1 : 0));
  const highs = Array.from({ length: 6 }, (_, task) => bootstrapInterval(marked(task), 1, 0, mulberry32(5)).low);
  // One resample of six draws: how often each task was drawn, over six.
  close(highs.reduce((sum, share) => sum + share, 0), 1);
  expect(bootstrapInterval([0, 1, 2, 3, 4, 5], 1, 0, mulberry32(5)).low).toBeCloseTo(highs.reduce((sum, share, task) => sum + share * task, 0), 12);
});

test("the interval follows shift and scale and covers the mean of a wide sample", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 20 }), fc.integer(), (counts, seed) => {
    const plain = bootstrapInterval(counts, 50, 0.9, mulberry32(seed));
    const moved = bootstrapInterval(counts.map((count) => 2 * count + 3), 50, 0.9, mulberry32(seed));
    close(moved.low, 2 * plain.low + 3, 1e-9);
    close(moved.high, 2 * plain.high + 3, 1e-9);
    expect(plain.low).toBeLessThanOrEqual(plain.high);
    expect(plain.low).toBeGreaterThanOrEqual(Math.min(...counts));
    expect(plain.high).toBeLessThanOrEqual(Math.max(...counts));
  }));
  const wide = bootstrapInterval(Array.from({ length: 400 }, (_, index) => index % 2), 2000, 0.95, mulberry32(1));
  close(wide.low, 0.5 - 1.96 * Math.sqrt(0.25 / 400), 0.006);
  close(wide.high, 0.5 + 1.96 * Math.sqrt(0.25 / 400), 0.006);
});

test("nothing to resample", () => {
  expect(() => bootstrapInterval([], 10, 0.95, mulberry32(1))).toThrow(RangeError);
  expect(() => bootstrapInterval([1], 0, 0.95, mulberry32(1))).toThrow("cannot resample 1 values 0 times");
});
