import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import type { Recording } from "#run/recording.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { replay } from "#trainer/record.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";

const config = PRESETS["refund-desk"];
const shown: Recording = JSON.parse(await readFile(new URL("../../../public/recordings/refund-desk.json", import.meta.url), "utf8"));

test("the group shown before anything runs is what the shipped base policy does", async () => {
  const executor = await wasmExecutor("simd128");
  const checkpoint = await checkpointFor("base", config.preset);
  const again = await withArena(config, async (arena) => replay(config, arena, openPolicy(executor, config, arena, checkpoint), shown));
  expect(again).toEqual(shown);
});

test("it tells the story: two guesses that were lucky, a refund without a check, a good question that led nowhere", () => {
  const calls = shown.group.members.map(({ turns }) => turns.map(({ action }) => (action.kind === "tool" ? action.name : action.kind)));
  const lucky = ["lookup_orders", "check_ship_date", "refund", "finish"];
  expect(shown.roles).toEqual(["A", "B", "C", "D"]);
  expect(shown.group.members.map(({ reward }) => reward)).toEqual([1, 0, 1, 0]);
  expect([calls[0], calls[1], calls[2]]).toEqual([lucky, ["lookup_orders", "refund", "finish"], lucky]);
  expect(calls[3]?.slice(0, 2)).toEqual(["lookup_orders", "ask_customer"]);
  expect(calls[3]).toHaveLength(8);
  expect(shown.group.members[3]?.turns[1]?.events).toContain("asked-when-needed");
  // Flat credit, population deviation: every turn of a winner is paid, every turn of a loser charged, the good question too.
  for (const { turns, reward } of shown.group.members) for (const { credit } of turns) expect(credit).toBeCloseTo(reward === 1 ? 1 : -1, 3);
});
