import { expect, test } from "vitest";
import { Held } from "#trainer/held.ts";

test("what was opened is let go of once, the last first", () => {
  const ended: string[] = [];
  const held = new Held();
  for (const name of ["executor", "policy", "laboratory"]) held.add({ dispose: () => ended.push(name) });
  held.dispose();
  held.dispose();
  expect(ended).toEqual(["laboratory", "policy", "executor"]);
});
