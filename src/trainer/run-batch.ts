import type { Assessed } from "#run/assessment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import type { ArchivedRun, ArchiveFault } from "./run-archive.ts";
import type { BackendChoice, BackendReport, Practice } from "./runtime.ts";

export type SessionPhase = "running" | "paused" | "recovering" | "finished" | "failed" | "stopped";

/** What the session met or did besides the run's own events. */
export type SessionNote =
  /** From here the run can go on. */
  | { readonly type: "kept"; readonly snapshot: RunSnapshot }
  /** Storage takes no more and the run goes on without it; null: all is stored again. */
  | { readonly type: "storage"; readonly fault: ArchiveFault | null }
  /** The run goes back to the end of `update` and looks for another device; 0 is the start. */
  | { readonly type: "device-lost"; readonly update: number; readonly message: string }
  | { readonly type: "recovered"; readonly update: number; readonly backend: BackendReport }
  /** The judge practises before the first update. */
  | ({ readonly type: "practice" } & Practice)
  | { readonly type: "paused-hidden"; readonly minutes: number }
  /** After `update`, the last one told, the run's state can be gone back to; `updates` are all of which that holds now, ascending. */
  | { readonly type: "shelf"; readonly update: number; readonly updates: readonly number[] }
  /** Found out about one group; a later one of that group and view takes its place. Depends on the clock, hence no event of the run. */
  | ({ readonly type: "assessment" } & Assessed);

/** What crosses to the page: the events since the last batch, what was met after them, and how the run stands then. */
export interface RunBatch {
  /** Number the page gave the run; batches of an earlier run are stale. */
  readonly run: number;
  readonly phase: SessionPhase;
  readonly events: readonly RunEvent[];
  readonly notes: readonly SessionNote[];
}

export type ResumeFrom =
  | { readonly kind: "snapshot"; readonly snapshot: RunSnapshot }
  | { readonly kind: "kept"; readonly name: string }
  /** Out of a file, where storage would not take it. */
  | { readonly kind: "file"; readonly run: ArchivedRun }
  /** The run that is open goes back to the end of an update whose state it has kept. */
  | { readonly kind: "shelf"; readonly update: number };

export interface StartRequest {
  /** Number of the run, given by the page; its batches carry it. */
  readonly run: number;
  readonly config: RunConfig;
  readonly backend: BackendChoice;
  /** Opened but held before its first event: `step` or `resume` sets it going. */
  readonly paused: boolean;
  /** What an earlier run left behind; from storage its events come first. */
  readonly resume: ResumeFrom | null;
}
