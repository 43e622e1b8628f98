import { expect, test } from "vitest";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { compareAddress, createChoiceStore, readCompareAddress } from "#store/compare/compare-choice.ts";
import { loadComparison } from "#store/compare/load.ts";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { started } from "../../fixtures/fake-run.ts";

const base = PRESETS["refund-desk"];
const record = (name: string, config: RunConfig, update = 4, title = ""): StoredRun => ({
  schema: 3, name, title, note: "", isPinned: false, createdAt: 1, savedAt: 2, update, config, standing: "finished", arithmetic: "simd128", heldout: null, changedAfter: [], hasWeights: false,
  isImported: false, writer: "", deletedAt: null, isWorkedOn: false,
});
const seeded = (seed: number, updates = base.updates): RunConfig => ({ ...base, seed, updates });
const runs = [record("a", seeded(1)), record("b", seeded(2), 4, "mine"), record("c", seeded(1, 9)), record("d", seeded(2), 2), record("e", seeded(1, 9))];

const asked: string[] = [];
const library = {
  list: () => Promise.resolve({ runs, unreadable: [] }),
  load: (name: string) => {
    asked.push(name);
    const config = runs.find((run) => run.name === name)?.config ?? base;
    const events: readonly RunEvent[] = [started(config), ...(name === "e" ? [{ type: "settings-changed", update: 2, config: seeded(1, 20) } as const] : [])];
    return Promise.resolve({ name, snapshot: null, events });
  },
};
const loaded = async (names: readonly string[], isBySeedless = true) => {
  const { entries, missing } = await loadComparison(library, { names, isBySeedless });
  return { entries: entries.map(({ title, runs: members }) => [title, ...members.map(({ name }) => name)]), missing };
};

test("one run stands for its seeds, each of them once, the furthest; none is loaded that is not shown", async () => {
  asked.length = 0;
  expect(await loaded(["b", "c"])).toEqual({ entries: [["mine", "a", "b"], ["Refund desk, seed 1", "c"]], missing: 0 });
  expect(asked).toEqual(["a", "b", "c"]);
});

test("a second run of one group adds nothing; runs of one seed are not taken together", async () => {
  expect(await loaded(["a", "b", "d"])).toEqual({ entries: [["mine", "a", "b"]], missing: 0 });
  expect((await loaded(["c", "e"])).entries).toEqual([["Refund desk, seed 1", "c"], ["Refund desk, seed 1", "e"]]);
});

test("apart, every run stands for itself; what is gone is counted", async () => {
  expect(await loaded(["a", "b", "x"], false)).toEqual({ entries: [["Refund desk, seed 1", "a"], ["mine", "b"]], missing: 1 });
});

test("two to four are chosen; the address says which, and is read back", () => {
  const choice = createChoiceStore();
  for (const name of ["a", "b", "c", "d", "e"]) choice.toggle([name]);
  expect(choice.getState().names).toEqual(["a", "b", "c", "d"]);
  choice.toggle(["b"]);
  expect(compareAddress(choice.getState())).toBe("#/compare?runs=a,c,d");
  expect(readCompareAddress(compareAddress(choice.getState()))).toEqual(choice.getState());
  choice.together(false);
  choice.toggle(["12-34"]);
  expect(readCompareAddress(compareAddress(choice.getState()))).toEqual({ names: ["12-34"], isBySeedless: false });
});

test("whichever run of an entry was chosen stands for it: a newer one that comes first changes nothing, and pressing again takes it out", () => {
  const choice = createChoiceStore();
  choice.toggle(["a", "b"]);
  choice.toggle(["c"]);
  choice.toggle(["new", "a", "b"]);
  expect(choice.getState().names).toEqual(["c"]);
});

test("a run that is listed no more is not chosen any more; of runs that have become one entry one is", () => {
  const choice = createChoiceStore();
  for (const name of ["d", "gone", "c", "b"]) choice.toggle([name]);
  choice.listed(runs);
  expect(choice.getState().names).toEqual(["d", "c"]);
  choice.together(false);
  for (const name of ["d", "gone", "b"]) choice.toggle([name]);
  choice.listed(runs);
  expect(choice.getState().names).toEqual(["d", "b"]);
});

test.each([
  ["#/compare", []],
  ["#/compare?runs=", []],
  ["#/compare?runs=a,a,<script>,../x,b,c,d,e", ["a", "b", "c", "d"]],
  ["#/compare?runs=%", []],
])("%s names what could be runs, and no more than four", (hash, names) => {
  expect(readCompareAddress(hash).names).toEqual(names);
});

test("what was changed on a run's way comes with it", async () => {
  const { entries } = await loadComparison(library, { names: ["c", "e"], isBySeedless: false });
  expect(entries.map(({ runs: members }) => members.map((run) => run.changes))).toEqual([[[]], [[{ update: 2, before: seeded(1, 9), after: seeded(1, 20) }]]]);
});
