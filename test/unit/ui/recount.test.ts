import { expect, test } from "vitest";
import { holdingText, recount } from "#ui/reliability/recount.ts";
import { fakeReport } from "../../fixtures/fake-run.ts";

test("every point of the curve is added up again from the tasks", () => {
  const report = fakeReport("heldout", 0.6);
  for (const k of [1, 2, 3, 5, 8]) {
    const counted = recount(report, k);
    expect(counted.all).toBeCloseTo(report.passHatK[k - 1] ?? -1, 12);
    expect(counted.any).toBeCloseTo(report.passAtK[k - 1] ?? -1, 12);
    expect(counted.shares.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(report.tasks);
  }
});

test("the box holds the tasks that can pass k; at k of all trials they are the point itself", () => {
  const report = { tasks: 5, trials: 4, successes: [4, 4, 3, 1, 0] };
  expect(recount(report, 4)).toMatchObject({ holding: 2, all: 2 / 5, any: 4 / 5 });
  expect(recount(report, 3)).toMatchObject({ holding: 3, all: (1 + 1 + 1 / 4) / 5 });
  expect(holdingText(recount(report, 4))).toBe("2 of 5 tasks passed all 4");
  expect(holdingText(recount(report, 3))).toBe("3 of 5 tasks passed at least 3 of 4");
});
