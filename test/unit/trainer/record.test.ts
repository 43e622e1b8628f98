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
  const again = await withArena(config, async (arena) => replay({ config, arena, executor, policy: openPolicy(executor, config, arena, checkpoint) }, shown));
  expect(again).toEqual(shown);
}, 240_000);

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

test("truth tells it too: the question was worth something, the unchecked refund was not, and a lucky guess is paid only by who sees behind the scenes", () => {
  const [history, state] = shown.assessments;
  expect(shown.assessments.map(({ truth, groupId }) => [truth.given, truth.form, groupId])).toEqual([["history", "full", shown.group.groupId], ["state", "full", shown.group.groupId]]);
  const turnOf = (view: typeof history, member: number, turn: number) => {
    const found = view?.truth.members[member]?.turns[turn];
    if (!found) throw new Error("no such turn");
    return found;
  };
  const [question, refund] = [turnOf(history, 3, 1), turnOf(history, 1, 1)];
  expect(question.skill).toBeGreaterThan(question.halfWidth);
  expect(refund.skill).toBeLessThan(-refund.halfWidth);
  // A checks the date of the order it guesses.
  expect(turnOf(state, 0, 1).skill).toBeGreaterThan(turnOf(history, 0, 1).skill + 0.2);
  for (const { truth } of shown.assessments) {
    for (const [index, member] of truth.members.entries()) {
      const total = (member?.turns ?? []).reduce((sum, { skill, luck }) => sum + skill + luck, member?.start ?? 0);
      expect(total).toBeCloseTo(shown.group.members[index]?.success ? 1 : 0, 5);
    }
  }
});

test("six rows are drawn of it, one a scheme, a credit a turn", () => {
  const rows = shown.assessments[0]?.schemes ?? [];
  expect(rows.map(({ id }) => id).toSorted()).toEqual(["critic", "flat", "gigpo", "istar", "process", "truth"]);
  for (const { credits } of rows) expect(credits.map(({ length }) => length)).toEqual(shown.group.members.map(({ turns }) => turns.length));
  expect(rows.find(({ id }) => id === "flat")?.credits).toEqual(shown.group.members.map(({ turns }) => turns.map(({ credit }) => credit)));
  expect(rows.find(({ id }) => id === "critic")?.fitted).toBe("1024 trajectories sampled for it, gone through 4 times");
});
