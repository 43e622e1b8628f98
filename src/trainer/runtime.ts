import type { Arithmetic } from "#core/policy.ts";
import type { BackendChoice, BackendOption } from "#engine/choose-backend.ts";
import type { ModelConfig } from "#engine/model.ts";
import type { PolicyState } from "#engine/policy-backend.ts";
import type { RecordedFrom } from "#run/assessment.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { GroupRecord, RunEvent } from "#run/run-event.ts";
import type { NetworkStates, RunSnapshot } from "#run/run-snapshot.ts";
import type { Laboratory } from "./laboratory.ts";
import type { TaskPlay, TaskPlayRequest } from "./play-task.ts";
import type { ReplayRequest } from "./replay.ts";

export type { BackendChoice };

/** Which backend was chosen and why, in words a person can read. */
export interface BackendReport {
  readonly backend: "wasm" | "webgpu" | "reference";
  readonly arithmetic: Arithmetic;
  readonly reason: string;
  readonly options: readonly BackendOption[];
  /** About how many bytes the run's policy takes, and how many there can be; absent before any trajectory was seen. */
  readonly memory?: { readonly needed: number; readonly limit: number };
}

/**
 * Awaited by a run between pieces of work (a batch of rollouts, a minibatch, a chunk of an evaluation), so that commands
 * are heard: it returns to the event loop, waits while the run is paused, and rejects with `RunStopped` once it is stopped.
 */
export type Gate = () => Promise<void>;

/** Groups that the reward source's network has practised on before the first update, of all it is to. */
export interface Practice {
  readonly done: number;
  readonly of: number;
}

/** Where a run stood right after an `update` event. Random streams are named by update, so no generator has to be kept. */
export type Resume = Pick<RunSnapshot, "config" | "update" | "trajectories" | "tokens" | "policy" | "networks">;

/** One run that has been opened: its events, its weights, and what it holds. */
export interface OpenRun {
  readonly backend: BackendReport;
  /** The groups of an update come before its `update` event: a step ends with that event. */
  readonly events: AsyncGenerator<RunEvent, void>;
  /** Looks into what the run sampled; only while no update is under way. */
  readonly laboratory: Laboratory;
  /** What the weights belong to. */
  readonly model: ModelConfig;
  /** Weights in the order of the model's tensor list. */
  snapshot(): Promise<Float32Array<ArrayBuffer>>;
  /** All that learning on needs; only while no update is under way. */
  exportState(): Promise<PolicyState>;
  /** Likewise of the run's second networks; absent where it has none. */
  exportNetworks?(): Promise<NetworkStates>;
  dispose(): void;
}

/** What a thread needs to train; made once per worker, owns the device. */
export interface TrainRuntime {
  /** Loads what a run with this config will need, so that its first group comes soon after Run. */
  prepare(config: RunConfig, choice: BackendChoice): Promise<BackendReport>;
  /**
   * @param resume where an earlier run stood; the events are then those that come after it
   * @param practised told what happens before the first update: no event of the run
   */
  open(config: RunConfig, choice: BackendChoice, gate: Gate, resume: Resume | null, practised?: (progress: Practice) => void): Promise<OpenRun>;
  /** The group of a recording, sampled again from its numbers, for questions about it before anything runs. */
  study(recording: RecordedFrom): Promise<Laboratory>;
  /** Trajectories of a link, played again. */
  replay(request: ReplayRequest): Promise<GroupRecord>;
  /** A trial of a held-out evaluation, played by weights that are given. */
  playTask(request: TaskPlayRequest): Promise<TaskPlay>;
}

/** Thrown by the gate of a stopped run; a run lets it pass. */
export class RunStopped extends Error {
  constructor() {
    super("the run was stopped");
    this.name = "RunStopped";
  }
}
