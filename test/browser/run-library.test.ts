import { afterEach, expect, test, vi } from "vitest";
import { createIdbArchive } from "#trainer/idb-archive.ts";
import { lockOf } from "#trainer/library/database.ts";
import { createRunLibrary } from "#trainer/library/run-library.ts";
import { all, config, endOf, snapshotOf } from "../fixtures/kept-run.ts";

/** The list of runs, in the browser's own IndexedDB, beside trainers that write to it. */

let time = 1_800_000_000_000;
let names = 0;
const parts = { newName: () => `lib-${(names += 1)}`, now: () => (time += 1_000) };
const archive = () => createIdbArchive(parts);
const library = createRunLibrary(parts);

afterEach(async () => {
  vi.restoreAllMocks();
  time += 3_600_000;
  for (const { name } of (await library.list()).runs) await library.purge(name);
});

/** A run that was left after an update. */
async function left(update: number): Promise<string> {
  const from = archive();
  const name = from.open();
  await from.keep(snapshotOf(name, update), all.slice(0, endOf(update)), 0);
  await from.rest(name, []);
  return name;
}

test("what a person says of a run stays, whatever its trainer writes meanwhile; and the other way round", async () => {
  const from = archive();
  const name = from.open();
  await from.keep(snapshotOf(name, 2), all.slice(0, endOf(2)), 0);
  await Promise.all([library.edit(name, { title: "mine", isPinned: true }), from.keep(snapshotOf(name, 4), all.slice(endOf(2), endOf(4)), 2), library.edit(name, { note: "kept" })]);
  const [run] = (await library.list()).runs;
  expect(run).toMatchObject({ name, title: "mine", note: "kept", isPinned: true, update: 4, standing: "under-way", isWorkedOn: true });
  await from.rest(name, []);
  expect((await library.list()).runs[0]).toMatchObject({ title: "mine", isWorkedOn: false, standing: "stopped" });
});

test("the newest held-out evaluation is known without reading the events, and is taken back with them", async () => {
  const from = archive();
  const name = from.open();
  await from.keep(snapshotOf(name, 9), all.slice(0, endOf(9)), 0);
  const heldout = async () => (await library.list()).runs.find((run) => run.name === name)?.heldout;
  expect(await heldout()).toMatchObject({ update: 0 });
  await from.rest(name, all.slice(endOf(9)));
  const end = all.at(-1);
  expect(await heldout()).toEqual({ update: 9, passHat1: end?.type === "run-finished" ? end.heldout.passHatK[0] : null });
  await from.keep(snapshotOf(name, 1), [], 1);
  expect(await heldout()).toMatchObject({ update: 0 });
});

test("a deleted run is gone from the list, comes back whole, and goes for good when nobody wanted it back", async () => {
  const name = await left(3);
  expect(await library.remove(name)).toBeNull();
  expect((await library.list()).runs).toEqual([]);
  expect(await archive().newest()).toBeNull();
  expect(await library.restore(name)).toBeNull();
  expect((await library.load(name))?.events).toEqual(all.slice(0, endOf(3)));
  await library.remove(name);
  time += 11 * 60_000;
  expect(await library.oldest()).toBeNull();
  expect(await library.load(name)).toBeNull();
  expect((await library.restore(name))?.message).toContain("not stored any more");
});

test("a deleted run that is gone on with is in the list again", async () => {
  const from = archive();
  const name = from.open();
  await from.keep(snapshotOf(name, 4), all.slice(0, endOf(4)), 0);
  await from.rest(name, []);
  await library.remove(name);
  expect(await from.claim(name)).toBe(true);
  await from.keep(snapshotOf(name, 2), [], 2);
  time += 11 * 60_000;
  expect(await library.oldest()).toBeNull();
  expect((await library.list()).runs).toMatchObject([{ name, update: 2, isWorkedOn: true }]);
  await from.rest(name, []);
});

test("an old deletion that fails leaves the list as it is, and is done when the library is next followed", async () => {
  const [gone, there] = [await left(1), await left(2)];
  await library.remove(gone);
  time += 11 * 60_000;
  const page = createRunLibrary(parts);
  const refused = vi.spyOn(IDBObjectStore.prototype, "delete").mockImplementation(() => {
    throw new DOMException("not now", "UnknownError");
  });
  page.subscribe(() => undefined)();
  expect((await page.list()).runs.map(({ name }) => name)).toEqual([there]);
  await expect.poll(() => refused.mock.calls.length).toBeGreaterThan(0);
  expect((await page.oldest())?.name).toBe(there);
  refused.mockRestore();
  expect((await page.load(gone))?.events).toEqual(all.slice(0, endOf(1)));
  page.subscribe(() => undefined)();
  await expect.poll(() => page.load(gone)).toBeNull();
  // Once: what is deleted from now on waits for another page, or for want of room.
  await page.remove(there);
  time += 11 * 60_000;
  page.subscribe(() => undefined)();
  await page.list();
  expect(await page.restore(there)).toBeNull();
});

test("stores that were deleted behind a library's back are there again when they are next needed", async () => {
  await left(1);
  expect((await library.list()).runs).toHaveLength(1);
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase("turnwise");
    request.addEventListener("success", resolve);
    request.addEventListener("error", reject);
  });
  expect((await library.list()).runs).toEqual([]);
  const name = await left(2);
  expect((await library.list()).runs.map((run) => run.name)).toEqual([name]);
});

test("a run out of a file is stored as it is, with its weights under its new name", async () => {
  const added = await library.add({ title: "theirs", note: "", snapshot: { ...snapshotOf("", 9), name: "" }, events: all });
  const name = "name" in added ? added.name : "";
  expect(await library.load(name)).toEqual({ name, snapshot: snapshotOf(name, 9), events: all });
  expect((await library.list()).runs[0]).toMatchObject({ title: "theirs", isImported: true, standing: "finished", update: 9, hasWeights: true });
});

test("an unfinished run out of a file ends with its weights: what going on tells again is not kept twice", async () => {
  const behind = all.slice(0, endOf(5) + 2);
  expect(behind.length).toBeGreaterThan(endOf(5));
  const added = await library.add({ title: "theirs", note: "", snapshot: { ...snapshotOf("", 5), name: "" }, events: behind });
  const name = "name" in added ? added.name : "";
  expect((await library.load(name))?.events).toEqual(all.slice(0, endOf(5)));
  expect((await library.list()).runs[0]).toMatchObject({ standing: "stopped", update: 5 });
  // Without weights nothing goes on: all of it is shown.
  const shown = await library.add({ title: "theirs", note: "", snapshot: null, events: behind });
  expect((await library.load("name" in shown ? shown.name : ""))?.events).toEqual(behind);
});

test("settings that were changed on the way are in the list: those it goes on under, and after which update", async () => {
  const from = archive();
  const name = from.open();
  const dialled = { ...config, algorithm: { ...config.algorithm, groupSize: 4 } };
  const change = { type: "settings-changed", update: 2, config: dialled } as const;
  await from.keep(snapshotOf(name, 2), all.slice(0, endOf(2)), 0);
  // Asked for, nothing computed yet.
  await from.keep(snapshotOf(name, 2), [], 2, dialled);
  expect((await library.list()).runs[0]).toMatchObject({ config: dialled, changedAfter: [] });
  await from.keep({ ...snapshotOf(name, 4), config: dialled }, [change, ...all.slice(endOf(2), endOf(4))], 2);
  expect((await library.list()).runs[0]).toMatchObject({ config: dialled, changedAfter: [2] });
  // Taken back, and so is the change.
  await from.keep(snapshotOf(name, 1), [], 1);
  expect((await library.list()).runs[0]).toMatchObject({ config, changedAfter: [] });
  await from.rest(name, []);

  const added = await library.add({ title: "theirs", note: "", snapshot: { ...snapshotOf("", 5), config: dialled }, events: all.slice(0, endOf(5)).toSpliced(endOf(2), 0, change) });
  expect((await library.list()).runs.find((run) => "name" in added && run.name === added.name)).toMatchObject({ config: dialled, changedAfter: [2] });
  // The weights are from before the change: it is told again when the run goes on, under what it was changed to.
  const early = await library.add({ title: "early", note: "", snapshot: snapshotOf("", 2), events: [...all.slice(0, endOf(2)), change] });
  expect((await library.list()).runs.find((run) => "name" in early && run.name === early.name)).toMatchObject({ config: dialled, changedAfter: [] });
});

test("the oldest run that is neither pinned nor worked on is the one that may go", async () => {
  const [first, second] = [await left(1), await left(2)];
  const from = archive();
  const mine = from.open();
  await from.keep(snapshotOf(mine, 1), [], 0);
  expect((await library.oldest())?.name).toBe(first);
  await library.edit(first, { isPinned: true });
  expect((await library.oldest())?.name).toBe(second);
  await library.edit(second, { isPinned: true });
  expect(await library.oldest()).toBeNull();
  await from.rest(mine, []);
});

test("what this page cannot read is listed as it lies there, and neither changed nor deleted", async () => {
  const name = await left(1);
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open("turnwise");
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(new Error("not opened")));
  });
  const foreign = { name: "from-tomorrow", schema: 99, anything: [1, 2] };
  await new Promise((resolve) => {
    const work = db.transaction("runs", "readwrite");
    work.objectStore("runs").put(foreign);
    work.addEventListener("complete", resolve);
  });
  const { runs, unreadable } = await library.list();
  expect(runs.map((run) => run.name)).toEqual([name]);
  expect(unreadable).toEqual([{ name: "from-tomorrow", raw: foreign }]);
  expect((await library.edit("from-tomorrow", { title: "x" }))?.reason).toBe("unavailable");
  expect((await library.list()).unreadable).toEqual([{ name: "from-tomorrow", raw: foreign }]);
  await library.purge("from-tomorrow");
  db.close();
});

test("a list in another tab is told of every change", async () => {
  let told = 0;
  const end = library.subscribe(() => (told += 1));
  const name = await left(1);
  await expect.poll(() => told).toBeGreaterThan(0);
  const before = told;
  await library.edit(name, { note: "new" });
  await expect.poll(() => told).toBeGreaterThan(before);
  end();
});

test("a list is told when a page that worked on a run ended without a word", async () => {
  const name = await left(2);
  let end = (): void => {};
  const working = new Promise<void>((resolve) => {
    end = resolve;
  });
  const held = navigator.locks.request(lockOf(name), () => working);
  const told = vi.fn<() => void>();
  const stop = library.subscribe(told);
  expect((await library.list()).runs).toMatchObject([{ name, isWorkedOn: true }]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  end();
  await held;
  await vi.waitFor(() => expect(told).toHaveBeenCalled(), { timeout: 10_000 });
  expect((await library.list()).runs).toMatchObject([{ name, isWorkedOn: false }]);
  stop();
});
