import type { RunEvent } from "#run/run-event.ts";
import type { KeptRun, RunSnapshot } from "#run/run-snapshot.ts";

/** Why nothing more is stored. */
export interface ArchiveFault {
  readonly reason: "full" | "unavailable";
  readonly message: string;
}

/** A stored run as it stood: all its events up to the snapshot's `update` event, and the snapshot. */
export interface ArchivedRun {
  readonly snapshot: RunSnapshot;
  readonly events: readonly RunEvent[];
}

/** Keeps the run that is under way where the end of its page does not reach it. Nothing here rejects. */
export interface RunArchive {
  /** Claims a new run; of one that was kept, go on under its own name with `claim`. */
  open(): string;
  claim(name: string): void;
  /** Adds what happened since the last call; the snapshot replaces the one before. Null when all is stored. */
  keep(snapshot: RunSnapshot, events: readonly RunEvent[]): Promise<ArchiveFault | null>;
  /** Everything behind the end of this update is taken back, as if the run had never been further. Null when that is done. */
  rewind(name: string, update: number): Promise<ArchiveFault | null>;
  /** The newest run that no other page is working on. */
  newest(): Promise<KeptRun | null>;
  load(name: string): Promise<ArchivedRun | null>;
  /** The run is over and needs no rescue; it stays as long as its page may go back in it. */
  rest(name: string): Promise<void>;
  forget(name: string): Promise<void>;
}
