import type { CodeResult, CodeRunner } from "#core/environment.ts";
import { SandboxError } from "#core/errors.ts";
import type { FromWorker, RunRequest, SandboxPort } from "./messages.ts";

/** Milliseconds: a run that is not through by then is ended with its worker; it stopped counting steps long before. */
const PATIENCE = 2_000;
/** The same for a worker to start and load its engine. */
const LOADING = 60_000;

/** What the clock ended: unlike everything else it may come out differently on another machine. */
export const BY_THE_CLOCK = "ended by the clock";
export const endedByTheClock = ({ message }: CodeResult): boolean => message === BY_THE_CLOCK;

interface Waiting {
  readonly request: RunRequest;
  readonly resolve: (result: CodeResult) => void;
  readonly reject: (error: Error) => void;
}

export interface Timers {
  /** @returns what stops it. */
  after(milliseconds: number, action: () => void): () => void;
}

export interface WorkerRunnerOptions {
  readonly timers: Timers;
  readonly patience?: number;
  readonly loading?: number;
}

/**
 * A runner whose engine lies in a worker of its own, started with the first run. Runs asked for in one breath go over in one message. A
 * built-in that takes long cannot be interrupted: its worker is terminated, the run counts as interrupted, and those behind it
 * are made again in a new worker.
 */
class WorkerRunner implements CodeRunner {
  readonly #start: () => SandboxPort;
  readonly #options: WorkerRunnerOptions;
  /** By id, in the order they were asked for; the first is the one under way. */
  readonly #waiting = new Map<number, Waiting>();
  #unsent: RunRequest[] = [];
  #port: SandboxPort | undefined;
  #ready = false;
  #asked = 0;
  #stopTimer: () => void = () => undefined;

  constructor(start: () => SandboxPort, options: WorkerRunnerOptions) {
    this.#start = start;
    this.#options = options;
  }

  run(source: string, calls: RunRequest["calls"], stepLimit: number): Promise<CodeResult> {
    this.#asked += 1;
    const request = { id: this.#asked, source, calls, stepLimit };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { request, resolve, reject });
      if (this.#unsent.length === 0) queueMicrotask(() => this.#send());
      this.#unsent.push(request);
    });
  }

  #send(): void {
    if (this.#unsent.length === 0) return;
    const requests = this.#unsent;
    this.#unsent = [];
    const idle = requests.length === this.#waiting.size;
    const port = this.#port ?? this.#open();
    port.post(requests);
    if (idle) this.#watch();
  }

  #open(): SandboxPort {
    const port = this.#start();
    this.#port = port;
    this.#ready = false;
    // What a worker that was given up still says is not heard.
    port.listen(
      (message) => this.#port === port && this.#receive(message),
      (reason) => this.#port === port && this.#fail(reason),
    );
    return port;
  }

  #receive(message: FromWorker): void {
    if (message.type === "failed") this.#fail(message.message);
    else if (message.type === "ready") this.#ready = true;
    else {
      this.#waiting.get(message.id)?.resolve(message.result);
      this.#waiting.delete(message.id);
    }
    if (this.#port !== undefined) this.#watch();
  }

  #watch(): void {
    this.#stopTimer();
    const { timers, patience = PATIENCE, loading = LOADING } = this.#options;
    if (this.#waiting.size > 0) this.#stopTimer = timers.after(this.#ready ? patience : loading, () => this.#terminate());
  }

  #close(): void {
    this.#stopTimer();
    this.#port?.terminate();
    this.#port = undefined;
  }

  #terminate(): void {
    if (!this.#ready) {
      this.#fail("it did not start in time");
      return;
    }
    this.#close();
    const [first] = this.#waiting.values();
    if (first === undefined) return;
    this.#waiting.delete(first.request.id);
    first.resolve({ ending: "interrupted", answers: [], message: BY_THE_CLOCK });
    this.#unsent = [...this.#waiting.values()].map(({ request }) => request);
    this.#send();
  }

  #fail(reason: string): void {
    this.#close();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#unsent = [];
    for (const { reject } of waiting) reject(new SandboxError(`the sandbox's worker failed: ${reason}`));
  }
}

/** @throws SandboxError from `run` when the worker cannot be started or breaks down. */
export const createWorkerRunner = (start: () => SandboxPort, options: WorkerRunnerOptions): CodeRunner => new WorkerRunner(start, options);
