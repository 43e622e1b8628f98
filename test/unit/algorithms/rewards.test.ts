import * as v from "valibot";
import { expect, test } from "vitest";
import { REWARD_SOURCES, scoreGroups } from "#algorithms/rewards/registry.ts";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { judged } from "./trajectories.ts";

const rng = createRng(1);
const turns = (count: number) => [Array.from({ length: count }, () => ({ read: 1, sampled: 1 }))];
const groups = [
  { groupId: "a", members: [judged({ sequences: turns(2), success: true }), judged({ sequences: turns(1), ending: "truncated" })] },
  { groupId: "b", members: [judged({ sequences: turns(3), success: true, ending: "failed" })] },
];
const terminals = async (check: string): Promise<number[][]> =>
  (await scoreGroups(groups, { id: "verifiable", check }, rng)).map((group) => group.map(({ terminal }) => terminal));

test("verifiable pays success, or the named check, once at the end", async () => {
  expect(await terminals("success")).toEqual([[1, 0], [0]]);
  expect(await terminals("polite")).toEqual([[1, 1], [0]]);
  expect(await terminals("naive")).toEqual([[0, 0], [0]]);
  const rewards = await scoreGroups(groups, { id: "verifiable", check: "success" }, rng);
  expect(rewards.map((group) => group.map(({ perTurn }) => [...perTurn]))).toEqual([[[0, 0], [0]], [[0, 0, 0]]]);
});

test("an unknown check names those there are", () => {
  const call = (): unknown => scoreGroups(groups, { id: "verifiable", check: "toString" }, rng);
  expect(call).toThrow(ConfigError);
  expect(call).toThrow('reward.check is "toString"; this environment knows success, polite, naive');
});

test("entries carry their key as id, and defaults that their schema takes", () => {
  for (const [key, { id, schema, defaults }] of Object.entries(REWARD_SOURCES)) {
    expect(id).toBe(key);
    expect(v.parse(schema, defaults)).toEqual(defaults);
  }
});
