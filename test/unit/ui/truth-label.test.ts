import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import type { MemberTruthRecord, TurnTruth } from "#run/assessment.ts";
import { PRESETS } from "#run/run-config.ts";
import { HELD_UPDATES } from "#trainer/laboratory/held.ts";
import { shortTruthLabel, truthLabel, whyNoTruth } from "#ui/board/truth-label.ts";
import { fakeGroup } from "../../fixtures/fake-run.ts";

const entry = { update: 3, group: fakeGroup(3, 4, 0.5, createRng(2)) };
const fault = { groupId: entry.group.groupId, error: { code: "policy", message: "the trainer no longer holds the group of update 3", detail: {} } };

test("truth that may come has no reason to be missing", () => {
  expect(whyNoTruth(entry, null, 3)).toBeNull();
  expect(whyNoTruth(entry, { ...fault, groupId: "4/0" }, 3 + HELD_UPDATES - 1)).toBeNull();
  expect(whyNoTruth({ ...entry, update: 0 }, null, 100)).toBeNull();
});

test("truth that cannot come any more has one", () => {
  expect(whyNoTruth(entry, fault, 3)).toBe("The trainer no longer holds the group of update 3.");
  expect(whyNoTruth(entry, null, 3 + HELD_UPDATES)).toMatch(/no longer holds/);
  expect(whyNoTruth({ ...entry, linked: { config: PRESETS["refund-desk"], assessments: [], members: [], rewards: null } }, null, 3)).toMatch(/not in the link/);
});

test("a margin says what it is of", () => {
  const turn = (changes: Partial<TurnTruth>): TurnTruth =>
    ({ skill: 0.1, luck: 0, halfWidth: 0, value: 0.4, actionValue: 0.5, probability: 0.5, kind: "exact", worlds: 3, unexplored: 0, ...changes });
  const member = (...turns: readonly TurnTruth[]): MemberTruthRecord => ({ start: 0.4, startHalfWidth: 0, turns });
  expect(truthLabel([member(turn({}))])).toBe("exact");
  expect(truthLabel([member(turn({ unexplored: 0.012, halfWidth: 0.02 })), null])).toBe("exact ±0.01 of V and Q");
  // The widest of all turns, those that were enumerated among them.
  const mixed = member(turn({ halfWidth: 0.02, unexplored: 0.01 }), turn({ kind: "branched", worlds: 64, halfWidth: 0.001 }));
  expect(truthLabel([mixed])).toBe("branched, K = 64, ±0.02 of skill");
  expect(shortTruthLabel(mixed)).toBe("K = 64, ±0.02");
  expect(truthLabel([null])).toBe("not known");
});
