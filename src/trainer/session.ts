import { DeviceLostError, PolicyError } from "#core/errors.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { toWire } from "#run/wire-error.ts";
import { RunStopped, type BackendChoice, type BackendReport, type OpenRun, type TrainRuntime } from "./runtime.ts";

export type SessionPhase = "running" | "paused" | "finished" | "failed" | "stopped";

/** What crosses to the page: the events since the last batch, and how the run stands after them. */
export interface RunBatch {
  /** Number the page gave the run; batches of an earlier run are stale. */
  readonly run: number;
  readonly phase: SessionPhase;
  readonly events: readonly RunEvent[];
}

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Resolves after messages that are waiting have been handled. */
  breathe(): Promise<void>;
}

/** Least time between two batches, in milliseconds; a pause or an ending flushes at once. */
const BATCH_INTERVAL = 50;

const ENDINGS: ReadonlySet<RunEvent["type"]> = new Set(["run-finished", "run-failed", "device-lost"]);

interface ActiveRun {
  readonly number: number;
  mode: "running" | "stepping" | "paused" | "stopping";
  readonly buffer: RunEvent[];
  lastUpdate: number;
  ending: "finished" | "failed" | null;
  open: OpenRun | null;
  wake: () => void;
  done: Promise<void>;
}

/** Drives one run at a time: start, pause, resume, exactly one update, stop; publishes its events in batches. */
export class TrainerSession {
  readonly #runtime: TrainRuntime;
  readonly #publish: (batch: RunBatch) => void;
  readonly #clock: Clock;
  #active: ActiveRun | null = null;
  #lastFlush = Number.NEGATIVE_INFINITY;
  /** Work that waits for a moment at which the weights are at rest. */
  readonly #atRest: (() => Promise<void>)[] = [];

  constructor(runtime: TrainRuntime, publish: (batch: RunBatch) => void, clock: Clock) {
    this.#runtime = runtime;
    this.#publish = publish;
    this.#clock = clock;
  }

  prepare(config: RunConfig, choice: BackendChoice): Promise<BackendReport> {
    return this.#runtime.prepare(config, choice);
  }

  /** Stops what runs, opens the new run and answers as soon as it is open; its events follow in batches. */
  async start(number: number, config: RunConfig, choice: BackendChoice, paused: boolean): Promise<BackendReport> {
    await this.stop();
    const run: ActiveRun = {
      number, mode: paused ? "paused" : "running", buffer: [], lastUpdate: 0, ending: null, open: null, wake: () => {}, done: Promise.resolve(),
    };
    this.#active = run;
    this.#lastFlush = Number.NEGATIVE_INFINITY;
    const open = await this.#runtime.open(config, choice, () => this.#gate(run));
    run.open = open;
    if (this.#active !== run) {
      open.dispose();
      throw new RunStopped();
    }
    run.done = this.#drive(run, open);
    return open.backend;
  }

  pause(): void {
    const run = this.#active;
    if (run === null || run.ending !== null || run.mode === "stopping") return;
    run.mode = "paused";
    this.#flush(run);
  }

  resume(): void {
    this.#go("running");
  }

  /** Runs on to the end of the update that is under way, or of the next one. */
  step(): void {
    this.#go("stepping");
  }

  /** Resolves when the run has let go of what it held. */
  async stop(): Promise<void> {
    const run = this.#active;
    if (run === null) return;
    this.#active = null;
    run.mode = "stopping";
    run.wake();
    await run.done;
    run.open?.dispose();
  }

  /** @throws PolicyError when no run is open. */
  async snapshot(): Promise<Float32Array<ArrayBuffer>> {
    const run = this.#active;
    const open = run?.open ?? null;
    if (run === null || open === null) throw new PolicyError("there is no run to take weights from");
    if (run.ending !== null) return open.snapshot();
    return new Promise((resolve, reject) => {
      this.#atRest.push(() => open.snapshot().then(resolve, reject));
      run.wake();
    });
  }

  #go(mode: "running" | "stepping"): void {
    const run = this.#active;
    if (run === null || run.ending !== null || run.mode === "stopping") return;
    run.mode = mode;
    this.#flush(run);
    run.wake();
  }

  async #gate(run: ActiveRun): Promise<void> {
    await this.#clock.breathe();
    this.#flushWhenDue(run);
    for (;;) {
      for (let task = this.#atRest.shift(); task !== undefined; task = this.#atRest.shift()) await task();
      if (run.mode === "stopping") throw new RunStopped();
      if (run.mode !== "paused") return;
      await new Promise<void>((resolve) => {
        run.wake = resolve;
      });
    }
  }

  async #drive(run: ActiveRun, open: OpenRun): Promise<void> {
    try {
      for (;;) {
        await this.#gate(run);
        const next = await open.events.next();
        if (next.done === true) break;
        this.#collect(run, next.value);
        if (run.ending !== null) break;
      }
      run.ending ??= "finished";
    } catch (error) {
      if (run.mode !== "stopping") this.#collect(run, failure(error, run.lastUpdate));
    } finally {
      await open.events.return().catch(() => {});
    }
    for (let task = this.#atRest.shift(); task !== undefined; task = this.#atRest.shift()) await task();
    this.#flush(run);
  }

  #collect(run: ActiveRun, event: RunEvent): void {
    run.buffer.push(event);
    if (ENDINGS.has(event.type)) run.ending = event.type === "run-finished" ? "finished" : "failed";
    if (event.type === "update") {
      run.lastUpdate = event.update;
      if (run.mode === "stepping") {
        run.mode = "paused";
        this.#flush(run);
      }
    }
    this.#flushWhenDue(run);
  }

  #flushWhenDue(run: ActiveRun): void {
    if (run.buffer.length > 0 && this.#clock.now() - this.#lastFlush >= BATCH_INTERVAL) this.#flush(run);
  }

  #flush(run: ActiveRun): void {
    this.#lastFlush = this.#clock.now();
    this.#publish({ run: run.number, phase: phaseOf(run), events: run.buffer.splice(0) });
  }
}

function phaseOf(run: ActiveRun): SessionPhase {
  if (run.ending !== null) return run.ending;
  if (run.mode === "stopping") return "stopped";
  return run.mode === "paused" ? "paused" : "running";
}

function failure(error: unknown, update: number): RunEvent {
  if (error instanceof DeviceLostError) return { type: "device-lost", update, message: error.message };
  return { type: "run-failed", update, error: toWire(error) };
}
