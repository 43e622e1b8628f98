import { expect, test } from "vitest";
import { mulberry32 } from "#core/mulberry32.ts";
import { meanRates, pairedDifference } from "#core/paired.ts";
import { seedBand } from "#core/seeds.ts";
import { bootstrapInterval } from "#core/statistics.ts";

/** Sum of twelve uniform draws less six: near enough to a standard normal. */
const normal = (draw: () => number): number => Array.from({ length: 12 }, draw).reduce((sum, value) => sum + value, -6);

test("paired difference by hand: second minus first, counts of tasks, standard error", () => {
  const { mean, better, worse, equal, standardError, side, low, high } = pairedDifference([0, 0.5, 1, 0.25], [0.5, 0.5, 0.75, 0.75], mulberry32(1));
  // Differences 0.5, 0, −0.25, 0.5: mean 0.1875; squared distances 0.09765625, 0.03515625, 0.19140625, 0.09765625 sum to 0.421875.
  expect(mean).toBeCloseTo(0.1875, 12);
  expect(standardError).toBeCloseTo(Math.sqrt(0.421875 / 3 / 4), 12);
  expect([better, worse, equal]).toEqual([2, 1, 1]);
  expect(low).toBeLessThan(0);
  expect(high).toBeGreaterThan(0.1875);
  expect(side).toBe("not-separated");
});

test("the side is where the whole interval lies", () => {
  const rates = Array.from({ length: 40 }, (_, task) => (task % 5) / 8);
  const raised = rates.map((rate, task) => rate + (task % 2 === 0 ? 0.25 : 0.125));
  expect(pairedDifference(rates, raised, mulberry32(1)).side).toBe("above");
  expect(pairedDifference(raised, rates, mulberry32(1)).side).toBe("below");
  expect(pairedDifference(rates, rates, mulberry32(1))).toMatchObject({ mean: 0, low: 0, high: 0, side: "not-separated" });
});

test("swapping the two turns the interval round", () => {
  const [first, second] = [[0.1, 0.9, 0.4, 0.6, 0.3], [0.3, 0.8, 0.9, 0.7, 0.2]];
  const there = pairedDifference(first, second, mulberry32(3));
  const back = pairedDifference(second, first, mulberry32(3));
  expect(back.mean).toBeCloseTo(-there.mean, 12);
  expect([back.low, back.high]).toEqual([expect.closeTo(-there.high, 12), expect.closeTo(-there.low, 12)]);
});

test("tasks that are not the same are refused", () => {
  expect(() => pairedDifference([0.5], [0.5, 0.5], mulberry32(1))).toThrow("1 tasks cannot be paired with 2");
  expect(() => pairedDifference([], [], mulberry32(1))).toThrow(RangeError);
});

test("95 % of intervals hold the true difference (64 tasks × 8 trials), and where rates go together they are far narrower than unpaired ones", () => {
  const draw = mulberry32(20);
  let held = 0;
  let paired = 0;
  let apart = 0;
  const REPEATS = 400;
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const easiness = Array.from({ length: 64 }, () => 0.05 + 0.8 * draw());
    const trials = (chance: number): number => Array.from({ length: 8 }, () => (draw() < chance ? 1 : 0)).reduce((sum: number, passed) => sum + passed, 0) / 8;
    const first = easiness.map(trials);
    const second = easiness.map((chance) => trials(chance + 0.1));
    const { low, high } = pairedDifference(first, second, draw);
    if (low <= 0.1 && 0.1 <= high) held += 1;
    paired += high - low;
    const [a, b] = [bootstrapInterval(first, 200, 0.95, draw), bootstrapInterval(second, 200, 0.95, draw)];
    apart += Math.hypot(a.high - a.low, b.high - b.low);
  }
  expect(held / REPEATS).toBeGreaterThan(0.92);
  expect(held / REPEATS).toBeLessThan(0.98);
  expect(paired / apart).toBeLessThan(0.75);
}, 60_000);

test("rates are averaged task by task", () => {
  expect(meanRates([[0, 1, 0.5], [1, 1, 0.25]])).toEqual([0.5, 1, 0.375]);
  expect(meanRates([])).toEqual([]);
});

test("seeds by hand: range of all, Student's interval of the mean", () => {
  const band = seedBand([0.5, 0.7, 0.6]);
  expect(band).toMatchObject({ mean: expect.closeTo(0.6, 12), range: [0.5, 0.7], seeds: 3 });
  // Sample deviation 0.1, t(2) = 4.303: 4.303 · 0.1 / √3.
  expect(band.interval?.[1]).toBeCloseTo(0.6 + 0.24843, 5);
  expect(band.interval?.[0]).toBeCloseTo(0.6 - 0.24843, 5);
  expect(seedBand([0.4]).interval).toBeNull();
  expect(() => seedBand([])).toThrow("no seed has a value");
});

test.each([2, 3, 5, 8])("95 %% of intervals over %i seeds hold the true mean", (seeds) => {
  const draw = mulberry32(seeds);
  let held = 0;
  for (let repeat = 0; repeat < 2000; repeat += 1) {
    const { interval } = seedBand(Array.from({ length: seeds }, () => normal(draw)));
    if (interval !== null && interval[0] <= 0 && 0 <= interval[1]) held += 1;
  }
  expect(held / 2000).toBeGreaterThan(0.935);
  expect(held / 2000).toBeLessThan(0.965);
});
