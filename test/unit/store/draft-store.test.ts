import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { changes, valueAt, withValue } from "#store/config-path.ts";
import { createDraftStore, settingsChanged } from "#store/draft-store.ts";

const preset = PRESETS["refund-desk"];

test("a path reads and replaces one value and leaves the rest as it is", () => {
  const changed = withValue(preset, "algorithm.credit.std", "sample");
  expect(valueAt(changed, "algorithm.credit.std")).toBe("sample");
  expect(valueAt(preset, "algorithm.credit.std")).toBe("population");
  expect(changed["environment"]).toBe(preset.environment);
  expect(changes(preset, changed)).toEqual([{ path: "algorithm.credit.std", before: "population", after: "sample" }]);
  expect(valueAt(preset, "algorithm.nothing.there")).toBeUndefined();
});

test("a value out of range is kept as typed, named by its path, and never becomes the config", () => {
  const draft = createDraftStore(preset);
  draft.set("algorithm.groupSize", 1);
  expect(draft.getState().issue).toMatchObject({ path: "algorithm.groupSize" });
  expect(draft.getState().issue?.message).toContain("from 2 to 64");
  expect(draft.getState().config).toBe(preset);
  draft.set("algorithm.groupSize", 4);
  expect(draft.getState().issue).toBeNull();
  expect(draft.getState().config.algorithm.groupSize).toBe(4);
});

test("settings that do not fit together are an issue too", () => {
  const draft = createDraftStore(preset);
  draft.set("algorithm.groupsPerUpdate", 1);
  expect(draft.getState().issue).toMatchObject({ path: "algorithm.minibatches" });
});

test("changed settings are those that differ from the run under way", () => {
  const draft = createDraftStore(preset);
  expect(settingsChanged(draft.getState(), null)).toEqual([]);
  draft.set("seed", 7);
  draft.set("algorithm.credit", { id: "leave-one-out" });
  expect(settingsChanged(draft.getState(), preset)).toEqual([
    { path: "seed", before: 1, after: 7 },
    // The settings of the other scheme are no changes of this one's.
    { path: "algorithm.credit", before: "flat", after: "leave-one-out" },
  ]);
  draft.replace(preset);
  expect(settingsChanged(draft.getState(), preset)).toEqual([]);
});
