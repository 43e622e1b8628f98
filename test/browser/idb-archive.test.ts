import { afterEach, expect, test, vi } from "vitest";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import { createIdbArchive } from "#trainer/idb-archive.ts";
import type { RunArchive } from "#trainer/run-archive.ts";
import { all, config, endOf, snapshotOf } from "../fixtures/kept-run.ts";

/** In the browser's own IndexedDB and with its locks. */

let time = 1_800_000_000_000;
let names = 0;
const opened: string[] = [];
const archive = (): RunArchive => createIdbArchive({ newName: () => `run-${(names += 1)}`, now: () => (time += 1_000) });
const begun = (from: RunArchive): string => {
  const name = from.open();
  opened.push(name);
  return name;
};

afterEach(async () => {
  vi.restoreAllMocks();
  for (const name of opened.splice(0)) await archive().forget(name);
});

test("the states of second networks come back with their run", async () => {
  const here = archive();
  const name = begun(here);
  const bare = snapshotOf(name, 2);
  const snapshot: RunSnapshot = { ...bare, networks: { critic: bare.policy, rewarding: { ...bare.policy, step: 7 } } };
  expect(await here.keep(snapshot, [], 0)).toBeNull();
  expect((await archive().load(name))?.snapshot).toEqual(snapshot);
});

test("a run comes back as it was kept, its events in order", async () => {
  const here = archive();
  const name = begun(here);
  expect(await here.keep(snapshotOf(name, 2), all.slice(0, endOf(2)), 0)).toBeNull();
  expect(await here.keep(snapshotOf(name, 5), all.slice(endOf(2), endOf(5)), 2)).toBeNull();
  expect(await archive().load(name)).toEqual({ name, snapshot: snapshotOf(name, 5), events: all.slice(0, endOf(5)) });
  await here.forget(name);
  expect(await here.load(name)).toBeNull();
});

test("what is behind an update is taken back, in the middle of a portion too", async () => {
  const here = archive();
  const name = begun(here);
  await here.keep(snapshotOf(name, 2), all.slice(0, endOf(2)), 0);
  await here.keep(snapshotOf(name, 6), all.slice(endOf(2), endOf(6)), 2);
  await here.keep(snapshotOf(name, 8), all.slice(endOf(6), endOf(8)), 6);
  expect(await here.keep(snapshotOf(name, 4), [], 4)).toBeNull();
  expect(await here.load(name)).toEqual({ name, snapshot: snapshotOf(name, 4), events: all.slice(0, endOf(4)) });
  await here.keep(snapshotOf(name, 3), all.slice(endOf(2), endOf(3)), 2);
  expect(await here.load(name)).toEqual({ name, snapshot: snapshotOf(name, 3), events: all.slice(0, endOf(3)) });
});

test("a run that is over is not offered, and keeps its last events", async () => {
  const [other, here] = [archive(), archive()];
  const name = begun(here);
  await here.keep(snapshotOf(name, 9), all.slice(0, endOf(9)), 0);
  expect(await here.rest(name, all.slice(endOf(9)))).toBeNull();
  expect(await other.newest()).toBeNull();
  expect((await other.load(name))?.events).toEqual(all);
  // Gone back in, it is under way again, and was never over.
  expect(await here.keep(snapshotOf(name, 4), [], 4)).toBeNull();
  expect((await other.load(name))?.events).toEqual(all.slice(0, endOf(4)));
  begun(here);
  expect((await other.newest())?.name).toBe(name);
  // Given up by a person it stays, but is not offered.
  expect(await here.claim(name)).toBe(true);
  await here.rest(name, []);
  begun(here);
  expect(await other.newest()).toBeNull();
  expect((await other.load(name))?.snapshot?.update).toBe(4);
});

test("the newest run that nobody works on is offered; one that is worked on is not", async () => {
  const [old, here] = [archive(), archive()];
  const left = begun(old);
  await old.keep(snapshotOf(left, 3), [], 0);
  const mine = begun(here);
  await here.keep(snapshotOf(mine, 4), [], 0);
  expect(await archive().newest()).toBeNull();
  // Another run of the same worker lets go of the one before.
  begun(old);
  expect(await archive().newest()).toEqual({ name: left, config, update: 3, savedAt: expect.any(Number) as number });
  await here.claim(left);
  expect((await archive().newest())?.name).toBe(mine);
});

test("every run stays, and is offered for a week", async () => {
  const here = archive();
  const kept: string[] = [];
  for (let run = 0; run < 5; run += 1) {
    const name = begun(here);
    kept.push(name);
    await here.keep(snapshotOf(name, run), [], 0);
  }
  begun(here);
  expect((await here.newest())?.name).toBe(kept[4]);
  time += 8 * 24 * 3_600_000;
  expect(await here.newest()).toBeNull();
  expect(await Promise.all(kept.map(async (name) => (await here.load(name)) !== null))).toEqual([true, true, true, true, true]);
});

/** The store refuses so often. */
function refuse(store: string, times: number): void {
  const put = IDBObjectStore.prototype.put;
  let refusals = times;
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (this: IDBObjectStore, value: unknown, key?: IDBValidKey) {
    if (this.name === store && refusals > 0) {
      refusals -= 1;
      throw new DOMException("the quota is used up", "QuotaExceededError");
    }
    return put.call(this, value, key);
  });
}

test.each(["runs", "snapshots", "events"])("storage that is full at %s: it says so, and what was there stays, of every run", async (store) => {
  const [old, here] = [archive(), archive()];
  const left = begun(old);
  await old.keep(snapshotOf(left, 3), all.slice(0, endOf(3)), 0);
  const name = begun(here);
  await here.keep(snapshotOf(name, 2), all.slice(0, endOf(2)), 0);
  const before = [await here.load(left), await here.load(name)];
  refuse(store, 1);
  expect(await here.keep(snapshotOf(name, 4), all.slice(endOf(2), endOf(4)), 2)).toEqual({ reason: "full", message: "the quota is used up" });
  expect([await here.load(left), await here.load(name)]).toEqual(before);
  expect(await here.keep(snapshotOf(name, 4), all.slice(endOf(2), endOf(4)), 2)).toBeNull();
  expect((await here.load(name))?.events).toEqual(all.slice(0, endOf(4)));
});

test("a run that another page has open cannot be claimed", async () => {
  const [other, here] = [archive(), archive()];
  const name = begun(other);
  await other.keep(snapshotOf(name, 2), [], 0);
  expect(await here.claim(name)).toBe(false);
  begun(other);
  expect(await here.claim(name)).toBe(true);
});

test("without locks, of two that write to one run only the last to claim it does", async () => {
  vi.spyOn(navigator.locks, "request").mockRejectedValue(new DOMException("not here", "SecurityError"));
  const [first, second] = [archive(), archive()];
  const name = begun(first);
  await first.keep(snapshotOf(name, 2), all.slice(0, endOf(2)), 0);
  expect(await second.claim(name)).toBe(true);
  await second.keep(snapshotOf(name, 4), all.slice(endOf(2), endOf(4)), 2);
  expect(await first.keep(snapshotOf(name, 3), all.slice(endOf(2), endOf(3)), 2)).toEqual({ reason: "unavailable", message: "another tab has taken this run over" });
  await first.rest(name, all.slice(endOf(9)));
  expect(await second.load(name)).toEqual({ name, snapshot: snapshotOf(name, 4), events: all.slice(0, endOf(4)) });
});

test("a run that was deleted elsewhere while it is worked on is not half written again", async () => {
  const [other, here] = [archive(), archive()];
  const name = begun(here);
  await here.keep(snapshotOf(name, 2), all.slice(0, endOf(2)), 0);
  await other.forget(name);
  expect((await here.keep(snapshotOf(name, 4), all.slice(endOf(2), endOf(4)), 2))?.message).toContain("deleted");
  expect(await here.load(name)).toBeNull();
});

test("a browser that forbids storage costs nothing but the storage", async () => {
  vi.spyOn(indexedDB, "open").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError");
  });
  const here = archive();
  const name = here.open();
  expect(await here.keep(snapshotOf(name, 1), [], 0)).toEqual({ reason: "unavailable", message: "denied" });
  expect(await here.newest()).toBeNull();
  expect(await here.load(name)).toBeNull();
  await here.forget(name);
});

test("what no page of this kind wrote is not gone on with", async () => {
  const here = archive();
  const name = begun(here);
  const broken = { ...snapshotOf(name, 2), config: { ...config, updates: -1 } };
  await here.keep(broken, [], 0);
  expect(await here.load(name)).toBeNull();
  begun(here);
  expect(await here.newest()).toBeNull();
});
