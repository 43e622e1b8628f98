import { expect, test } from "vitest";
import type { GroupRecord, MemberRecord } from "#run/run-event.ts";
import { calibrationBins, LEAST_TURNS, predictionsOf, type Prediction } from "#ui/inspector/calibration-bins.ts";

const member = (rewards: readonly number[], ending: MemberRecord["ending"] = "terminated"): MemberRecord => ({
  reward: rewards.reduce((sum, reward) => sum + reward, 0), success: true, ending, checks: {}, monitors: [], stateBefore: null, sequences: [],
  turns: rewards.map((reward) => ({
    sequence: 0, start: 0, end: 0, action: { kind: "reply", text: "" }, observation: { kind: "user", content: null }, events: [], credit: 0, reward, anchorKey: "", stateAfter: null,
  })),
});
const group = (members: readonly MemberRecord[]): GroupRecord => ({ groupId: "1/0", taskId: "t", first: { kind: "user", content: null }, members, informative: true, credits: [] });
const values = (rows: readonly (readonly number[])[]) => ({ kind: "values", values: rows } as const);

test("what happened from a turn on is discounted, and what is not known of is left out", () => {
  const members = [member([0, 0.5, 1]), member([1], "truncated"), member([1], "failed")];
  const basis = values([[0.2, 0.3, 0.4, 0], [0.6, 0.5], []]);
  expect(predictionsOf(group(members), basis, { gamma: 0.5, atBudget: "bootstrap" }).toReversed()).toEqual([
    { predicted: 0.2, happened: 0.5 }, { predicted: 0.3, happened: 1 }, { predicted: 0.4, happened: 1 },
  ]);
  expect(predictionsOf(group(members), basis, { gamma: 0.5, atBudget: "judged" })).toContainEqual({ predicted: 0.6, happened: 1 });
});

test("bins hold every turn once, with its means; a perfect critic lies on the line, one that is too sure does not", () => {
  const perfect: readonly Prediction[] = Array.from({ length: 100 }, (_, index) => ({ predicted: 0.1 + 0.2 * (index % 5), happened: (index / 5) % 20 < 20 * (0.1 + 0.2 * (index % 5)) ? 1 : 0 }));
  const bins = calibrationBins(perfect);
  expect(bins.map(({ count }) => count)).toEqual([20, 20, 20, 20, 20]);
  for (const { predicted, happened, from, to } of bins) {
    expect(happened).toBeCloseTo(predicted, 10);
    expect(predicted).toBeGreaterThanOrEqual(from);
    expect(predicted).toBeLessThanOrEqual(to);
  }
  const sure = calibrationBins(perfect.map(({ happened }, index) => ({ predicted: index % 2, happened })));
  expect(sure.map(({ from, to, count }) => [from, to, count])).toEqual([[0, 0.2, 50], [0.8, 1, 50]]);
  expect(sure[1]!.happened).toBeLessThan(0.7);
  // By hand: 20 of 40 with variance 10/39, standard error √(10/39/40).
  const even = calibrationBins(Array.from({ length: 40 }, (_, index) => ({ predicted: 0.5, happened: index % 2 })));
  expect(even).toHaveLength(1);
  expect(even[0]!.halfWidth).toBeCloseTo(1.96 * Math.sqrt(10 / 39 / 40), 10);
});

test("too few turns make no picture; values beyond 0 and 1 have their place", () => {
  const few = Array.from({ length: LEAST_TURNS - 1 }, () => ({ predicted: 0.5, happened: 1 }));
  expect(calibrationBins(few)).toEqual([]);
  const wide = calibrationBins([...few, { predicted: -0.5, happened: 0 }, { predicted: 1.5, happened: 1 }]);
  expect(wide.reduce((sum, { count }) => sum + count, 0)).toBe(LEAST_TURNS + 1);
  expect([wide[0]!.from, wide.at(-1)!.to]).toEqual([-0.5, 1.5]);
});
