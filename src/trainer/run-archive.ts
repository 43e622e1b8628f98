import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { KeptRun, RunSnapshot } from "#run/run-snapshot.ts";

/** Why nothing more is stored. */
export interface ArchiveFault {
  readonly reason: "full" | "unavailable";
  readonly message: string;
}

/** A stored run as it stood. */
export interface ArchivedRun {
  readonly name: string;
  /** Null for a run whose weights are not known: it can be looked at only. */
  readonly snapshot: RunSnapshot | null;
  /** All up to the snapshot's `update` event; of a run that is over, all. */
  readonly events: readonly RunEvent[];
}

/** The run that is under way is kept where the end of its page does not reach it. Nothing here rejects. */
export interface RunArchive {
  /** A name for a new run, claimed. */
  open(): string;
  /** To go on with a run that was kept. False where another page works on it. */
  claim(name: string): Promise<boolean>;
  /**
   * Adds what happened since the end of the update `after`; whatever is stored behind that is taken back, as if the run had never been
   * further. The snapshot replaces the one before. Null when all of this is done, else none of it is.
   * @param config what the run goes on under, where that is not what the snapshot was computed under
   */
  keep(snapshot: RunSnapshot, events: readonly RunEvent[], after: number, config?: RunConfig): Promise<ArchiveFault | null>;
  /** The newest run under way that no other page is working on. */
  newest(): Promise<KeptRun | null>;
  load(name: string): Promise<ArchivedRun | null>;
  /** The run is left alone, to stay among the stored ones, need no rescue and be free for other pages; of one that is over, its last events. */
  rest(name: string, last: readonly RunEvent[]): Promise<ArchiveFault | null>;
  forget(name: string): Promise<void>;
}
