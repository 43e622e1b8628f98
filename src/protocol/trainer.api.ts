import type { RunConfig } from "#run/run-config.ts";
import type { WireError } from "#run/wire-error.ts";
import type { BackendChoice, BackendReport } from "#trainer/runtime.ts";

/** Errors cross as data: a rejected promise would lose its class and fields on the way. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: WireError };

export interface PolicySnapshot {
  readonly weights: Float32Array<ArrayBuffer>;
  readonly fingerprint: string;
}

export interface StartRequest {
  /** Number of the run, given by the page; its batches carry it. */
  readonly run: number;
  readonly config: RunConfig;
  readonly backend: BackendChoice;
  /** Opened but held before its first event: `step` or `resume` sets it going. */
  readonly paused: boolean;
}

/** Commands of the trainer worker. Events do not come back here but on the port given to `connect`, as `RunBatch`es. */
export interface TrainerApi {
  connect(port: MessagePort): Promise<Reply<null>>;
  prepare(config: RunConfig, backend: BackendChoice): Promise<Reply<BackendReport>>;
  start(request: StartRequest): Promise<Reply<BackendReport>>;
  pause(): Promise<Reply<null>>;
  resume(): Promise<Reply<null>>;
  /** Exactly one update. */
  step(): Promise<Reply<null>>;
  stop(): Promise<Reply<null>>;
  snapshot(): Promise<Reply<PolicySnapshot>>;
}
