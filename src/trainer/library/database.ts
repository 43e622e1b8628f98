import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { RunEvent } from "#run/run-event.ts";
import type { ArchiveFault } from "../run-archive.ts";
import type { RunRecord } from "./records.ts";

const DATABASE = "turnwise";
/** Of the stores, not of the records, which carry their own. 2: `policies`; pages older than that deleted runs after a week. */
const VERSION = 2;

export interface Tables extends DBSchema {
  /** `RunRecord`s of any schema so far. */
  readonly runs: { readonly key: string; readonly value: RunRecord | { readonly name: string; readonly shape: 1 } };
  /** Under the run's name: the newest `RunSnapshot`. */
  readonly snapshots: { readonly key: string; readonly value: unknown };
  /** Under the run's name and the update they end with; what comes after the last update, under one more. */
  readonly events: { readonly key: [string, number]; readonly value: readonly RunEvent[] };
  /** Safetensors files that runs start from, under their id. */
  readonly policies: { readonly key: string; readonly value: Uint8Array<ArrayBuffer> };
}

export type Database = IDBPDatabase<Tables>;

/** Opens once; tried again where that failed or the connection was closed since. */
export function createDatabase(): () => Promise<Database> {
  let opened: Promise<Database> | undefined;
  const forget = (): void => {
    opened = undefined;
  };
  return () => {
    if (opened !== undefined) return opened;
    const opening = openDB<Tables>(DATABASE, VERSION, {
      upgrade(db, from) {
        if (from < 1) {
          db.createObjectStore("runs", { keyPath: "name" });
          db.createObjectStore("snapshots");
          db.createObjectStore("events");
        }
        if (from < 2) db.createObjectStore("policies");
      },
      // Somebody wants to change or delete the stores: this page gives way. Where they are a newer page's by then, opening them fails.
      blocking: (_current, _blocked, event) => {
        if (event.target instanceof IDBDatabase) event.target.close();
        forget();
      },
      terminated: forget,
    });
    opened = opening;
    opening.catch(forget);
    return opening;
  };
}

export const lockOf = (name: string): string => `turnwise/run/${name}`;
export const rangeOf = (name: string): IDBKeyRange => IDBKeyRange.bound([name], [name, []]);

/** Of all pages and workers of this browser. */
export async function heldLocks(): Promise<ReadonlySet<string>> {
  if (!("locks" in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name === undefined ? [] : [name])));
}

const CHANNEL = "turnwise/runs";

/** Tells every list of runs, in other tabs too, that it is out of date. */
export function announce(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Milliseconds between looks at the locks: a page that ended tells nobody that its run is free. */
const LOOK = 2000;

/** @returns what ends it */
export function onAnnounced(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", listener);
  let known: string | null = null;
  const look = async (): Promise<void> => {
    const held = [...(await heldLocks())].toSorted().join("\n");
    if (known !== null && held !== known) listener();
    known = held;
  };
  void look();
  const timer = setInterval(() => void look(), LOOK);
  return () => {
    clearInterval(timer);
    channel.close();
  };
}

const isFull = (error: unknown): boolean => error instanceof DOMException && error.name === "QuotaExceededError";

export const faultOf = (error: unknown): ArchiveFault => ({
  reason: isFull(error) ? "full" : "unavailable",
  message: messageOf(error),
});

/** Chromium refuses some writes to a full disk without a word. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return isFull(error) ? "this browser's storage is full" : error.name;
}

/** All or nothing: where one request is refused, nothing of the others stays. One after the other, so that no refusal goes unheard. */
export async function transacted<T>(
  db: Database, stores: readonly ("runs" | "snapshots" | "events" | "policies")[], work: (transaction: ReturnType<typeof begin>) => Promise<T>,
): Promise<T> {
  const transaction = begin(db, stores);
  transaction.done.catch(() => undefined);
  try {
    const value = await work(transaction);
    await transaction.done;
    return value;
  } catch (error) {
    await Promise.resolve().then(() => transaction.abort()).catch(() => undefined);
    throw error;
  }
}

/** A run with its weights and events, for good. */
export const deleteRun = (db: Database, name: string): Promise<void> =>
  transacted(db, ["runs", "snapshots", "events"], async (work) => {
    await work.objectStore("runs").delete(name);
    await work.objectStore("snapshots").delete(name);
    await work.objectStore("events").delete(rangeOf(name));
  });

const begin = (db: Database, stores: readonly ("runs" | "snapshots" | "events" | "policies")[]) => db.transaction([...stores], "readwrite", { durability: "relaxed" });
