import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { withRecipe } from "#run/recipe.ts";
import { createLibraryStore, titleOf } from "#store/library-store.ts";
import type { Listing, RunLibrary, StoredRun } from "#trainer/library/run-library.ts";

const run: StoredRun = {
  schema: 3, name: "a", title: "", note: "", isPinned: false, createdAt: 0, savedAt: 0, update: 1, config: PRESETS["refund-desk"], standing: "stopped", arithmetic: "simd128",
  heldout: null, changedAfter: [], hasWeights: true, isImported: false, writer: "", deletedAt: null, isWorkedOn: false,
};

/** A library whose lists come when they are let, in any order. */
function setUp() {
  const asked: ((listing: Listing) => void)[] = [];
  const none = () => Promise.resolve(null);
  const library: RunLibrary = {
    list: () => new Promise((resolve) => asked.push(resolve)), load: none, edit: none, remove: none, restore: none, purge: none, oldest: none,
    add: () => Promise.resolve({ name: "" }), quota: () => Promise.resolve({ used: 1, allowed: 2, isPersistent: false }), subscribe: () => () => {},
  };
  return { asked, store: createLibraryStore(library) };
}

test("a list that was asked for before another and comes after it is out of date", async () => {
  const { asked, store } = setUp();
  const [first, second] = [store.refresh(), store.refresh()];
  asked[1]?.({ runs: [run], unreadable: [] });
  await second;
  asked[0]?.({ runs: [{ ...run, isWorkedOn: true }], unreadable: [] });
  await first;
  expect(store.getState().listing?.runs).toEqual([run]);
});

test("a run without a name is told from others by preset, seed and a credit that is not the preset's own", () => {
  expect(titleOf(run)).toBe("Refund desk, seed 1");
  expect(titleOf({ title: "", config: withRecipe({ ...run.config, seed: 3 }, "gigpo") })).toBe("Refund desk, gigpo credit, seed 3");
  expect(titleOf({ title: "mine", config: run.config })).toBe("mine");
});
