import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import { HELD_UPDATES } from "#trainer/laboratory/held.ts";
import { whyNoTruth } from "#ui/board/truth-label.ts";
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
