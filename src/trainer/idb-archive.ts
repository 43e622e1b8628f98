import type { IDBPObjectStore, StoreNames } from "idb";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import type { KeptRun, RunSnapshot } from "#run/run-snapshot.ts";
import { announce, createDatabase, faultOf, heldLocks, lockOf, rangeOf, transacted, type Tables } from "./library/database.ts";
import { NOTHING_TOLD, readRecord, readSnapshot, SCHEMA, toldAfter, type RunRecord, type Told } from "./library/records.ts";
import type { ArchivedRun, RunArchive } from "./run-archive.ts";

/** A run that was left unfinished is offered for so long; among the stored runs it stays. */
const DAYS_OFFERED = 7;
/** A page that was just closed or reloaded lets go of its run a moment later. */
const RELEASE_PATIENCE = [0, 300, 1_000] as const;
/** The only run there is to offer is waited for longer: a page may take its time to end. */
const OFFER_PATIENCE = [...RELEASE_PATIENCE, 3_000] as const;
/** Lists of runs follow a run under way no more often than this, in milliseconds. */
const ANNOUNCE_INTERVAL = 10_000;

export interface IdbArchiveParts {
  newName(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface HeldLock {
  /** Of the run. */
  readonly name: string;
  readonly release: () => void;
  /** When others see it no more. */
  readonly released: Promise<unknown>;
}

/** Runs kept in IndexedDB; a lock held by the worker tells other pages which of them are still worked on. */
export function createIdbArchive({ newName, now }: IdbArchiveParts): RunArchive {
  const database = createDatabase();
  /** Of this archive, in the records it writes. */
  const writer = newName();
  let held: HeldLock | null = null;
  /** Runs of which a record was written: one that is missing later was deleted elsewhere. */
  const written = new Set<string>();
  let announced = Number.NEGATIVE_INFINITY;

  async function locked(name: string): Promise<boolean> {
    if (held?.name === name) return true;
    held?.release();
    held = null;
    if (!("locks" in navigator)) return true;
    for (const patience of RELEASE_PATIENCE) {
      await wait(patience);
      held = await new Promise<HeldLock | null>((resolve) => {
        const released: Promise<unknown> = navigator.locks
          .request(lockOf(name), { ifAvailable: true }, (lock) => (lock === null ? resolve(null) : new Promise<void>((release) => resolve({ name, release, released }))))
          .catch(() => resolve({ name, release: () => {}, released: Promise.resolve() }));
      });
      if (held !== null) return true;
    }
    return false;
  }

  async function takeOver(name: string): Promise<void> {
    await transacted(await database(), ["runs"], async (work) => {
      const known = readRecord(await work.objectStore("runs").get(name));
      if (known === null) return;
      await work.objectStore("runs").put({ ...known, writer } satisfies RunRecord);
      written.add(name);
    });
  }

  /** Takes back what is stored behind the end of an update. @returns what the record says of what is left */
  async function cut(store: IDBPObjectStore<Tables, ArrayLike<StoreNames<Tables>>, "events", "readwrite">, name: string, update: number): Promise<Told> {
    // The first portion behind the update may begin before its end.
    for (const key of await store.getAllKeys(IDBKeyRange.bound([name, update], [name, []], true))) {
      const events = (await store.get(key)) ?? [];
      await store.delete(key);
      const kept = events.slice(0, endOfUpdate(events, update));
      if (kept.length > 0) await store.put(kept, [name, update]);
    }
    return toldAfter((await store.getAll(rangeOf(name))).flat(), NOTHING_TOLD);
  }

  async function write(snapshot: RunSnapshot, events: readonly RunEvent[], after: number, config = snapshot.config): Promise<void> {
    const { name, update, arithmetic } = snapshot;
    await transacted(await database(), ["runs", "snapshots", "events"], async (work) => {
      const runs = work.objectStore("runs");
      const known = readRecord(await runs.get(name));
      if (known === null && written.has(name)) throw new Error("this run was deleted in another tab");
      if (known !== null && known.writer !== writer) throw new Error("another tab has taken this run over");
      const isBehind = known !== null && (known.update > after || known.standing !== "under-way");
      const before = isBehind ? await cut(work.objectStore("events"), name, after) : (known ?? NOTHING_TOLD);
      const time = now();
      const fresh = { schema: SCHEMA, name, title: "", note: "", isPinned: false, createdAt: time, isImported: false, writer, deletedAt: null } as const;
      // Who goes on with a run that was put away wants it back.
      await runs.put({ ...(known ?? fresh), savedAt: time, update, config, arithmetic, ...toldAfter(events, before), hasWeights: true, standing: "under-way", deletedAt: null } satisfies RunRecord);
      await work.objectStore("snapshots").put(snapshot, name);
      if (events.length > 0) await work.objectStore("events").put(events, [name, update]);
    });
    const isNew = !written.has(name);
    written.add(name);
    if (!isNew && now() - announced < ANNOUNCE_INTERVAL) return;
    announced = now();
    announce();
  }

  async function letGo(name: string): Promise<void> {
    if (held?.name !== name) return;
    const { release, released } = held;
    held = null;
    release();
    await released;
  }

  async function rest(name: string, last: readonly RunEvent[]): Promise<void> {
    await transacted(await database(), ["runs", "events"], async (work) => {
      const known = readRecord(await work.objectStore("runs").get(name));
      // Nothing was kept of it, or it is another page's by now.
      if (known === null || known.writer !== writer) return;
      const isOver = last.at(-1)?.type === "run-finished";
      if (isOver) await work.objectStore("events").put(last, [name, known.update + 1]);
      await work.objectStore("runs").put({ ...known, savedAt: now(), standing: isOver ? "finished" : "stopped", ...toldAfter(last, known) } satisfies RunRecord);
    });
  }

  async function forget(name: string): Promise<void> {
    await transacted(await database(), ["runs", "snapshots", "events"], async (work) => {
      await work.objectStore("runs").delete(name);
      await work.objectStore("snapshots").delete(name);
      await work.objectStore("events").delete(rangeOf(name));
    });
    announce();
  }

  async function newest(): Promise<KeptRun | null> {
    const old = now() - DAYS_OFFERED * 24 * 3_600_000;
    const records = (await (await database()).getAll("runs")).map(readRecord);
    const known = records
      .filter((record) => record !== null && record.standing === "under-way" && record.hasWeights && record.deletedAt === null && record.savedAt >= old)
      .flatMap((record): KeptRun[] => (record === null ? [] : [{ name: record.name, savedAt: record.savedAt, update: record.update, config: record.config }]))
      .toSorted((a, b) => b.savedAt - a.savedAt);
    for (const [attempt, patience] of known.length > 0 ? OFFER_PATIENCE.entries() : []) {
      await wait(patience);
      const worked = await heldLocks();
      const free = known.find(({ name }) => !worked.has(lockOf(name)));
      if (free !== undefined && (free === known[0] || attempt >= RELEASE_PATIENCE.length - 1)) return free;
    }
    return null;
  }

  async function load(name: string): Promise<ArchivedRun | null> {
    const db = await database();
    const record = readRecord(await db.get("runs", name));
    if (record === null) return null;
    const snapshot = readSnapshot(await db.get("snapshots", name));
    if (snapshot === null && record.hasWeights) return null;
    return { name, snapshot, events: (await db.getAll("events", rangeOf(name))).flat() };
  }

  return {
    open: () => {
      const name = newName();
      locked(name).catch(() => undefined);
      return name;
    },
    claim: async (name) => {
      if (!(await locked(name).catch(() => true))) return false;
      await takeOver(name).catch(() => undefined);
      return true;
    },
    keep: (snapshot, events, after, config) => write(snapshot, events, after, config).then(() => null, faultOf),
    newest: () => newest().catch(() => null),
    load: (name) => load(name).catch(() => null),
    rest: async (name, last) => {
      const fault = await rest(name, last).then(() => null, faultOf);
      // Who hears of it looks at once, and must not find it worked on still.
      await letGo(name);
      announce();
      return fault;
    },
    forget: (name) => forget(name).catch(() => undefined),
  };
}
