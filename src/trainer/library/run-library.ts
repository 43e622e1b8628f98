import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import { settingsOf } from "#run/settings-changes.ts";
import type { ArchivedRun, ArchiveFault } from "../run-archive.ts";
import { announce, createDatabase, deleteRun, faultOf, heldLocks, lockOf, onAnnounced, rangeOf, transacted } from "./database.ts";
import { NOTHING_TOLD, readRecord, readSnapshot, SCHEMA, toldAfter, type RunRecord } from "./records.ts";

/** A deleted run can be had back for so long, in milliseconds; the next time that the library is followed or needs room, its events and weights go. */
const REGRET = 10 * 60_000;

export interface StoredRun extends RunRecord {
  /** A page has it open and writes to it. */
  readonly isWorkedOn: boolean;
}

export interface Listing {
  /** The newest first. */
  readonly runs: readonly StoredRun[];
  /** What this version of the page cannot read, as it lies there. */
  readonly unreadable: readonly { readonly name: string; readonly raw: unknown }[];
}

export interface Quota {
  /** Bytes; null where the browser does not tell. */
  readonly used: number | null;
  readonly allowed: number | null;
  /** Whether the browser has promised not to clear it by itself. */
  readonly isPersistent: boolean;
}

/** What a run brings along when it comes out of a file. */
export interface NewRun {
  readonly title: string;
  readonly note: string;
  readonly snapshot: RunSnapshot | null;
  readonly events: readonly RunEvent[];
}

export type Edit = Partial<Pick<RunRecord, "title" | "note" | "isPinned">>;

export interface RunLibraryParts {
  newName(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The stored runs as a page lists and tidies them; what a trainer writes meanwhile is left as it is. */
export interface RunLibrary {
  /** @throws where the browser refuses storage */
  list(): Promise<Listing>;
  /** All of a run, for a file. Null where it cannot be read. */
  load(name: string): Promise<ArchivedRun | null>;
  edit(name: string, edit: Edit): Promise<ArchiveFault | null>;
  /** Puts a run away: it is gone from the list, and can be had back for some minutes. */
  remove(name: string): Promise<ArchiveFault | null>;
  restore(name: string): Promise<ArchiveFault | null>;
  /** @returns the name it is stored under, or why it is not */
  add(run: NewRun): Promise<{ readonly name: string } | { readonly fault: ArchiveFault }>;
  /** The oldest run that is not pinned and that nobody works on: what goes first where room is needed. Deleted ones go before it by themselves. */
  oldest(): Promise<StoredRun | null>;
  /** For good. */
  purge(name: string): Promise<ArchiveFault | null>;
  quota(): Promise<Quota>;
  /** Called whenever a list is out of date, also by another tab. @returns what ends it */
  subscribe(listener: () => void): () => void;
}

export function createRunLibrary({ newName, now }: RunLibraryParts): RunLibrary {
  const database = createDatabase();

  const tried = async (work: () => Promise<void>): Promise<ArchiveFault | null> => {
    try {
      await work();
      announce();
      return null;
    } catch (error) {
      return faultOf(error);
    }
  };

  async function change(name: string, edit: Partial<RunRecord>): Promise<void> {
    await transacted(await database(), ["runs"], async (work) => {
      const known = readRecord(await work.objectStore("runs").get(name));
      if (known === null) throw new Error("this run is not stored any more");
      await work.objectStore("runs").put({ ...known, ...edit } satisfies RunRecord);
    });
  }

  const purge = async (name: string): Promise<void> => deleteRun(await database(), name);

  /** Runs that were deleted long ago go for good. What fails is left to the next time: a list needs none of it. */
  async function tidy(): Promise<boolean> {
    try {
      const late = now() - REGRET;
      const records = (await (await database()).getAll("runs")).map(readRecord);
      for (const record of records) if (record?.deletedAt != null && record.deletedAt < late) await purge(record.name);
      return true;
    } catch {
      return false;
    }
  }

  let isTidy = false;

  async function list(): Promise<Listing> {
    const [raws, worked] = await Promise.all([database().then((db) => db.getAll("runs")), heldLocks()]);
    const records = raws.map((raw) => ({ raw, record: readRecord(raw) }));
    return {
      runs: records
        .flatMap(({ record }) => (record === null || record.deletedAt !== null ? [] : [{ ...record, isWorkedOn: worked.has(lockOf(record.name)) }]))
        .toSorted((a, b) => b.savedAt - a.savedAt),
      unreadable: records.flatMap(({ raw, record }) => (record === null ? [{ name: raw.name, raw }] : [])),
    };
  }

  return {
    list,
    load: async (name) => {
      const db = await database();
      const record = readRecord(await db.get("runs", name));
      return record === null ? null : { name, snapshot: readSnapshot(await db.get("snapshots", name)), events: (await db.getAll("events", rangeOf(name))).flat() };
    },
    edit: (name, edit) => tried(() => change(name, edit)),
    remove: (name) => tried(() => change(name, { deletedAt: now() })),
    restore: (name) => tried(() => change(name, { deletedAt: null })),
    purge: (name) => tried(() => purge(name)),
    add: async ({ title, note, snapshot, events }) => {
      const name = newName();
      const started = events.find((event) => event.type === "run-started");
      if (started?.type !== "run-started") return { fault: { reason: "unavailable", message: "the run has no beginning" } };
      const update = snapshot?.update ?? events.reduce((last, event) => (event.type === "update" ? event.update : last), 0);
      const isOver = events.at(-1)?.type === "run-finished";
      // Going on from the weights tells again what came after them.
      const end = isOver || snapshot === null ? 0 : endOfUpdate(events, snapshot.update);
      const kept = end === 0 ? events : events.slice(0, end);
      const time = now();
      const record: RunRecord = {
        schema: SCHEMA, name, title, note, isPinned: false, createdAt: time, savedAt: time, update, config: settingsOf(events, snapshot) ?? started.config, standing: isOver ? "finished" : "stopped",
        arithmetic: started.arithmetic, ...toldAfter(kept, NOTHING_TOLD), hasWeights: snapshot !== null, isImported: true, writer: "", deletedAt: null,
      };
      const fault = await tried(async () =>
        transacted(await database(), ["runs", "snapshots", "events"], async (work) => {
          await work.objectStore("runs").add(record);
          if (snapshot !== null) await work.objectStore("snapshots").put({ ...snapshot, name }, name);
          await work.objectStore("events").put(kept, [name, update]);
        }),
      );
      return fault === null ? { name } : { fault };
    },
    oldest: async () => {
      await tidy();
      const { runs } = await list();
      return runs.findLast(({ isPinned, isWorkedOn }) => !isPinned && !isWorkedOn) ?? null;
    },
    quota: async () => {
      if (!("storage" in navigator)) return { used: null, allowed: null, isPersistent: false };
      const [{ usage, quota }, isPersistent] = await Promise.all([navigator.storage.estimate(), navigator.storage.persisted()]);
      return { used: usage ?? null, allowed: quota ?? null, isPersistent };
    },
    subscribe: (listener) => {
      if (!isTidy) void tidy().then((isDone) => (isTidy = isDone));
      isTidy = true;
      return onAnnounced(listener);
    },
  };
}
