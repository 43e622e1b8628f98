import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import type { Recording } from "#run/recording.ts";
import { createDraftStore } from "#store/draft-store.ts";
import { firstView, keepFirstViewTrue, recordedGroup, tellingTurn } from "#store/recorded-group.ts";
import { createRunStore } from "#store/run-store.ts";
import { createViewStore } from "#store/view-store.ts";
import { tally } from "#ui/board/headline.ts";
import { signed } from "#ui/format.ts";
import { fakeGroup, started } from "../../fixtures/fake-run.ts";

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
  expect(firstView(recorded, PRESETS["refund-desk"])).toEqual({ held: recorded.entry, selection: { member: 3, turn: 1 } });
  expect(tally(recorded.entry)).toBe("Four attempts. Two worked.");
});

describe("the first view", () => {
  const recorded = recordedGroup(recording);
  const setUp = () => {
    const [draft, run] = [createDraftStore(PRESETS["refund-desk"]), createRunStore()];
    const view = createViewStore(() => firstView(recorded, draft.getState().config));
    keepFirstViewTrue({ draft, view, run, recorded });
    return { draft, run, view };
  };

  test("goes with another environment and comes back with its own, whatever turn of it was looked at", () => {
    const { draft, view } = setUp();
    view.select(recorded.entry, { member: 0, turn: 0 });
    draft.replace(PRESETS["refund-desk-4-orders"]);
    expect(view.getState()).toMatchObject({ held: recorded.entry, selection: { member: 0, turn: 0 } });
    draft.replace(PRESETS.sokoban);
    expect(view.getState()).toMatchObject({ held: null, selection: null, at: null });
    draft.replace(PRESETS["js-sandbox"]);
    expect(view.getState().held).toBeNull();
    draft.replace(PRESETS["refund-desk"]);
    expect(view.getState()).toMatchObject({ held: recorded.entry, selection: { member: 3, turn: 1 }, at: 0 });
  });

  test("is no matter of a run, nor of what came in a link", () => {
    const { draft, run, view } = setUp();
    const other = { update: 3, group: fakeGroup(3, 4, 0.5, createRng(3)) };
    view.hold(3, other);
    draft.replace(PRESETS.sokoban);
    expect(view.getState().held).toBe(other);
    view.follow();
    run.apply([started(PRESETS.sokoban)]);
    draft.replace(PRESETS["refund-desk"]);
    expect(view.getState().held).toBeNull();
  });
});

test("there is no telling turn where all did alike", () => {
  expect(tellingTurn(fakeGroup(1, 4, 1, createRng(1)))).toBeNull();
  expect(tellingTurn(fakeGroup(1, 4, 0, createRng(1)))).toBeNull();
  expect(firstView(null, PRESETS["refund-desk"])).toEqual({ held: null, selection: null });
});

test("a headline counts in words", () => {
  expect(tally({ update: 1, group: fakeGroup(1, 8, 0, createRng(1)) })).toBe("Eight attempts. None worked.");
});
