import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import * as v from "valibot";
import { parseRunConfig } from "#run/run-config.ts";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import type { KeptRun, RunSnapshot } from "#run/run-snapshot.ts";
import type { ArchiveFault, ArchivedRun, RunArchive } from "./run-archive.ts";

/** To be raised whenever events or snapshots change their shape: what an older page kept is then left alone. */
const SHAPE = 1;
const DATABASE = "turnwise";
const RUNS_KEPT = 3;
const DAYS_KEPT = 7;
/** A page that was just closed or reloaded lets go of its run a moment later. */
const RELEASE_PATIENCE = [0, 300, 1_000] as const;

interface Tables extends DBSchema {
  /** What `newest` needs, small. */
  readonly runs: { readonly key: string; readonly value: { readonly name: string; readonly shape: number; readonly savedAt: number; readonly update: number; readonly config: unknown; readonly isOver?: true } };
  readonly snapshots: { readonly key: string; readonly value: unknown };
  /** Under the run's name and the update they end with. */
  readonly events: { readonly key: [string, number]; readonly value: readonly RunEvent[] };
}

export interface IdbArchiveParts {
  newName(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

const lockOf = (name: string): string => `turnwise/run/${name}`;
const rangeOf = (name: string): IDBKeyRange => IDBKeyRange.bound([name], [name, []]);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const floats = v.custom<Float32Array<ArrayBuffer>>((value) => value instanceof Float32Array && value.buffer instanceof ArrayBuffer);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const stateSchema = v.strictObject({ weights: floats, first: floats, second: floats, step: count });
const snapshotSchema = v.strictObject({
  name: v.string(),
  config: v.pipe(v.unknown(), v.transform(parseRunConfig)),
  arithmetic: v.picklist(["simd128", "relaxed", "webgpu", "reference"]),
  update: count,
  trajectories: count,
  tokens: count,
  policy: stateSchema,
  networks: v.exactOptional(v.strictObject({ critic: v.exactOptional(stateSchema), implicit: v.exactOptional(stateSchema), rewarding: v.exactOptional(stateSchema) })),
});

/** Null for what this page did not write. */
function read<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch {
    return null;
  }
}

/** Runs kept in IndexedDB; a lock held by the worker tells other pages which of them are still worked on. */
export function createIdbArchive({ newName, now }: IdbArchiveParts): RunArchive {
  let opened: Promise<IDBPDatabase<Tables>> | undefined;
  let release: () => void = () => {};
  const database = (): Promise<IDBPDatabase<Tables>> => {
    opened ??= openDB<Tables>(DATABASE, 1, {
      upgrade(db) {
        db.createObjectStore("runs", { keyPath: "name" });
        db.createObjectStore("snapshots");
        db.createObjectStore("events");
      },
      // A newer page wants to change the tables: this one gives way and stores no more.
      blocking: (_current, _blocked, event) => (event.target instanceof IDBDatabase ? event.target.close() : undefined),
    });
    return opened;
  };

  const claim = (name: string): void => {
    release();
    if (!("locks" in navigator)) return;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    navigator.locks.request(lockOf(name), () => held).catch(() => undefined);
  };

  async function write(snapshot: RunSnapshot, events: readonly RunEvent[]): Promise<void> {
    const { name, update, config } = snapshot;
    const work = (await database()).transaction(["runs", "snapshots", "events"], "readwrite", { durability: "relaxed" });
    work.done.catch(() => undefined);
    try {
      // One after the other: a request that is refused leaves no other behind whose failure nobody hears.
      await work.objectStore("runs").put({ name, shape: SHAPE, savedAt: now(), update, config });
      await work.objectStore("snapshots").put(snapshot, name);
      if (events.length > 0) await work.objectStore("events").put(events, [name, update]);
      await work.done;
    } catch (error) {
      // All or nothing, also where one of them was refused at once.
      await Promise.resolve().then(() => work.abort()).catch(() => undefined);
      throw error;
    }
  }

  async function rewind(name: string, update: number): Promise<void> {
    const work = (await database()).transaction("events", "readwrite", { durability: "relaxed" });
    work.done.catch(() => undefined);
    // The first portion behind the update may begin before its end.
    for (const key of await work.store.getAllKeys(IDBKeyRange.bound([name, update], [name, []], true))) {
      const events = (await work.store.get(key)) ?? [];
      await work.store.delete(key);
      const kept = events.slice(0, endOfUpdate(events, update));
      if (kept.length > 0) await work.store.put(kept, [name, update]);
    }
    await work.done;
  }

  async function rest(name: string): Promise<void> {
    const db = await database();
    const run = await db.get("runs", name);
    if (run !== undefined) await db.put("runs", { ...run, isOver: true });
  }

  async function forget(name: string): Promise<void> {
    const work = (await database()).transaction(["runs", "snapshots", "events"], "readwrite", { durability: "relaxed" });
    work.done.catch(() => undefined);
    await work.objectStore("runs").delete(name);
    await work.objectStore("snapshots").delete(name);
    await work.objectStore("events").delete(rangeOf(name));
    await work.done;
  }

  /** Other runs go first, then the groups of this one: curves need none of them. */
  async function makeRoom(name: string): Promise<void> {
    const db = await database();
    const held = await heldLocks();
    for (const other of await db.getAllKeys("runs")) if (other !== name && !held.has(lockOf(other))) await forget(other);
    for (const key of await db.getAllKeys("events", rangeOf(name))) {
      const events = (await db.get("events", key)) ?? [];
      await db.put("events", events.filter(({ type }) => type !== "group"), key);
    }
  }

  async function newest(): Promise<KeptRun | null> {
    const runs = (await (await database()).getAll("runs")).toSorted((a, b) => b.savedAt - a.savedAt);
    const old = now() - DAYS_KEPT * 24 * 3_600_000;
    const worked = await heldLocks();
    for (const [index, { name, savedAt, isOver }] of runs.entries()) if (index >= RUNS_KEPT || savedAt < old || (isOver && !worked.has(lockOf(name)))) await forget(name);
    const known = runs.slice(0, RUNS_KEPT).flatMap(({ name, shape, savedAt, update, config, isOver }): KeptRun[] => {
      const parsed = shape === SHAPE && savedAt >= old && !isOver ? read(() => parseRunConfig(config)) : null;
      return parsed === null ? [] : [{ name, savedAt, update, config: parsed }];
    });
    for (const patience of known.length > 0 ? RELEASE_PATIENCE : []) {
      await wait(patience);
      const held = await heldLocks();
      const free = known.find(({ name }) => !held.has(lockOf(name)));
      if (free !== undefined && (free === known[0] || patience === RELEASE_PATIENCE.at(-1))) return free;
    }
    return null;
  }

  async function load(name: string): Promise<ArchivedRun | null> {
    const db = await database();
    const kept = await db.get("snapshots", name);
    const snapshot = read(() => v.parse(snapshotSchema, kept));
    if (snapshot === null) return null;
    return { snapshot, events: (await db.getAll("events", rangeOf(name))).flat() };
  }

  return {
    open() {
      const name = newName();
      claim(name);
      return name;
    },
    claim,
    keep: async (snapshot, events) => {
      try {
        await write(snapshot, events);
        return null;
      } catch (error) {
        if (!isFull(error)) return faultOf(error);
      }
      try {
        await makeRoom(snapshot.name);
        await write(snapshot, events);
        return null;
      } catch (error) {
        return faultOf(error);
      }
    },
    rewind: (name, update) => rewind(name, update).then(() => null, faultOf),
    newest: () => newest().catch(() => null),
    load: (name) => load(name).catch(() => null),
    rest: (name) => rest(name).catch(() => undefined),
    forget: (name) => forget(name).catch(() => undefined),
  };
}

const isFull = (error: unknown): boolean => error instanceof DOMException && error.name === "QuotaExceededError";

const faultOf = (error: unknown): ArchiveFault => ({
  reason: isFull(error) ? "full" : "unavailable",
  message: error instanceof Error ? error.message : String(error),
});

async function heldLocks(): Promise<ReadonlySet<string>> {
  if (!("locks" in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name === undefined ? [] : [name])));
}
