import { expect, test } from "vitest";
import type { Action } from "#core/trajectory.ts";
import { fakeGroup } from "../../fixtures/fake-run.ts";
import { createRng } from "#core/rng.ts";
import { attemptSteps } from "#ui/story/attempt-steps.ts";

const [sample] = fakeGroup(1, 1, 0.5, createRng(1)).members.flatMap(({ turns }) => turns);
const turn = (name: string, order?: string) => {
  if (sample === undefined) throw new Error("the made-up group has no turn");
  const action: Action = { kind: "tool", name, args: order === undefined ? {} : { order } };
  return { ...sample, action };
};

test("an attempt is told in a line; what was done again and again is counted, another argument is another step", () => {
  const turns = [turn("lookup_orders"), turn("ask_customer"), turn("ask_customer"), turn("check_ship_date", "#7"), turn("check_ship_date", "#2"), turn("ask_customer")];
  expect(attemptSteps({ turns })).toBe("Look up, Ask ×2, Check #7, Check #2, Ask");
  expect(attemptSteps({ turns: [] })).toBe("");
});
