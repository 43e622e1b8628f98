import { expect, test } from "vitest";
import { mulberry32 } from "#core/mulberry32.ts";
import { pairedDifference } from "#core/paired.ts";
import type { TaskDifference } from "#store/compare/difference.ts";
import { differenceText, restsOn } from "#ui/compare/difference-text.ts";

const tasks = (rate: number): readonly number[] => Array.from({ length: 20 }, () => rate);
/** Of the first entry and the third. */
const between = (first: readonly number[], third: readonly number[]) =>
  ({ kind: "difference", entry: 2, tasks: first.length, rates: [first, third], failed: 0, ...pairedDifference(first, third, mulberry32(1)) }) as const;

test("what the later entry has more of stands with a plus, and it is called better", () => {
  const difference = between(tasks(0.25), tasks(0.75));
  expect(differenceText(difference)).toBe("C − A = +0.50 [0.50, 0.50]: C is better");
  expect(restsOn(difference)).toBe("C passes more often on 20, less often on 0, equally often on 0 of 20 tasks.");
});

test("what it has less of stands with a minus, and the first is called better", () => {
  const difference = between(tasks(0.75), tasks(0.5));
  expect(differenceText(difference)).toBe("C − A = −0.25 [−0.25, −0.25]: A is better");
  expect(restsOn(difference)).toBe("C passes more often on 0, less often on 20, equally often on 0 of 20 tasks.");
});

test("where nought lies within, neither is better", () => {
  expect(differenceText(between(tasks(0.5), tasks(0.5).map((rate, task) => rate + (task % 2 === 0 ? 0.25 : -0.25))))).toMatch(/^C − A = 0\.00 \[−0\.\d\d, 0\.\d\d\]: not separated$/);
});

test("a difference that is not taken says why, in sentences with one full stop each", () => {
  const refused: TaskDifference = { kind: "refused", entry: 1, reason: "B was not evaluated on held-out tasks yet" };
  expect(differenceText(refused)).toBe("B − A is not taken: B was not evaluated on held-out tasks yet");
  // As the card puts them together.
  expect(`${[refused, refused].map(differenceText).join(". ")}. Mean`).not.toContain("..");
});
