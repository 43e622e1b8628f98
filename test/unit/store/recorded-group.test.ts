import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import type { Recording } from "#run/recording.ts";
import { firstView, recordedGroup, tellingTurn } from "#store/recorded-group.ts";
import { tally } from "#ui/board/headline.ts";
import { signed } from "#ui/format.ts";
import { fakeGroup } from "../../fixtures/fake-run.ts";

const recording: Recording = JSON.parse(readFileSync("public/recordings/refund-desk.json", "utf8"));
const { group } = recording;
const toolsOf = (member: number): readonly string[] => group.members[member]?.turns.map(({ action }) => (action.kind === "tool" ? action.name : action.kind)) ?? [];

test("the recorded group tells the story, and its credit is flat", () => {
  expect(group.members.map(({ reward }) => reward)).toEqual([1, 0, 1, 0]);
  expect(toolsOf(0)).toEqual(["lookup_orders", "check_ship_date", "refund", "finish"]);
  expect(toolsOf(1)).toEqual(["lookup_orders", "refund", "finish"]);
  expect(toolsOf(2)).toEqual(toolsOf(0));
  expect(toolsOf(3).slice(0, 2)).toEqual(["lookup_orders", "ask_customer"]);
  expect(group.members[3]?.ending).toBe("truncated");
  expect(group.members.map(({ turns }) => new Set(turns.map(({ credit }) => signed(credit))))).toEqual(["+1.00", "−1.00", "+1.00", "−1.00"].map((credit) => new Set([credit])));
});

test("the page opens on D's question", () => {
  const recorded = recordedGroup(recording);
  expect(recorded.config).toBe(PRESETS["refund-desk"]);
  expect(firstView(recorded)).toEqual({ held: recorded.entry, selection: { member: 3, turn: 1 } });
  expect(tally(group)).toBe("Four attempts. Two worked.");
});

test("there is no telling turn where all did alike", () => {
  expect(tellingTurn(fakeGroup(1, 4, 1, createRng(1)))).toBeNull();
  expect(tellingTurn(fakeGroup(1, 4, 0, createRng(1)))).toBeNull();
  expect(firstView(null)).toEqual({ held: null, selection: null });
});

test("a headline counts in words", () => {
  expect(tally(fakeGroup(1, 8, 0, createRng(1)))).toBe("Eight attempts. None worked.");
});
