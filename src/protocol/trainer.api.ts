import type { Assessed, AssessRequest, ForkOptions, ForkRequest, ForkResult, TurnPlace } from "#run/assessment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { GroupRecord } from "#run/run-event.ts";
import type { KeptRun } from "#run/run-snapshot.ts";
import type { WireError } from "#run/wire-error.ts";
import type { CheckpointFile } from "#trainer/checkpoint-file.ts";
import type { TaskPlay, TaskPlayRequest } from "#trainer/play-task.ts";
import type { ReplayRequest } from "#trainer/replay.ts";
import type { StartRequest } from "#trainer/run-batch.ts";
import type { BackendChoice, BackendReport } from "#trainer/runtime.ts";

/** Errors cross as data: a rejected promise would lose its class and fields on the way. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: WireError };

export interface PolicySnapshot {
  readonly weights: Float32Array<ArrayBuffer>;
  readonly fingerprint: string;
}

/** Commands of the trainer worker. Events do not come back here but on the port given to `connect`, as `RunBatch`es. */
export interface TrainerApi {
  connect(port: MessagePort): Promise<Reply<null>>;
  prepare(config: RunConfig, backend: BackendChoice): Promise<Reply<BackendReport>>;
  /** Null where a stored run without weights is only looked at. */
  start(request: StartRequest): Promise<Reply<BackendReport | null>>;
  pause(): Promise<Reply<null>>;
  resume(): Promise<Reply<null>>;
  /** Exactly one update. */
  step(): Promise<Reply<null>>;
  stop(): Promise<Reply<null>>;
  snapshot(): Promise<Reply<PolicySnapshot>>;
  /** The weights after an update whose state is kept. */
  checkpoint(update: number): Promise<Reply<CheckpointFile>>;
  /**
   * Truth and other schemes for one group, as exact as patience allows; parts that are known sooner come as `assessment` notes. While
   * a run goes on nothing is assessed on demand. Null where a command, or the next question, cut it short.
   */
  assess(request: AssessRequest): Promise<Reply<Assessed | null>>;
  /** Like `assess`: not while a run goes on, null where cut short. */
  forkOptions(place: TurnPlace): Promise<Reply<ForkOptions | null>>;
  fork(request: ForkRequest): Promise<Reply<ForkResult | null>>;
  /** Trajectories of a link, played again by environment and harness; needs no run and leaves one that is under way alone. */
  replay(request: ReplayRequest): Promise<Reply<GroupRecord>>;
  /** A trial of a held-out evaluation by the weights of a kept run; likewise. */
  playTask(request: TaskPlayRequest): Promise<Reply<TaskPlay>>;
  /** Least milliseconds from one update to the next. */
  setPace(milliseconds: number): Promise<Reply<null>>;
  /** Whether nobody sees the page: it is then worked for only so long. */
  setHidden(isHidden: boolean): Promise<Reply<null>>;
  /** The newest run in storage whose page has ended. */
  kept(): Promise<Reply<KeptRun | null>>;
  forget(name: string): Promise<Reply<null>>;
  /** A policy out of a file that runs may start from. @returns the setting `from` that names it */
  addPolicy(bytes: Uint8Array<ArrayBuffer>): Promise<Reply<string>>;
  /** There is room again: what could not be stored is, now. */
  retryStorage(): Promise<Reply<null>>;
  /** Answers as soon as the work under way leaves a moment for it. */
  ping(): Promise<Reply<null>>;
}
