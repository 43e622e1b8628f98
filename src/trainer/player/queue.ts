import { PolicyError } from "#core/errors.ts";
import type { FromPlayer, PlayerPort, ToPlayer } from "./messages.ts";

/** Milliseconds that one call may take, and loading engine and model. */
const PATIENCE = 2_000;
const LOADING = 120_000;

export interface QueueParts {
  spawn(): PlayerPort;
  /** @returns what stops it */
  after(milliseconds: number, action: () => void): () => void;
}

type Model = Omit<Extract<ToPlayer, { readonly type: "open" }>, "type">;

/** How a call ended: with an answer, or by the worker's end. */
type Answer = FromPlayer | { readonly type: "late" } | { readonly type: "broken"; readonly reason: string };

/**
 * A model in a worker of its own, one call at a time. A call that takes longer than two seconds, or that throws, ends the worker; who asked
 * gets an error, and the next call finds a new worker with the same model.
 */
export class PlayerQueue {
  readonly #parts: QueueParts;
  readonly #model: Model;
  #port: PlayerPort | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isDisposed = false;
  #replaced = 0;
  #settle: (answer: Answer) => void = () => undefined;

  constructor(parts: QueueParts, model: Model) {
    this.#parts = parts;
    this.#model = model;
  }

  /** Workers that were ended so far. */
  get replaced(): number {
    return this.#replaced;
  }

  /** Loads engine and model; calls do it too where that was not done. @throws PolicyError */
  open(): Promise<void> {
    return this.#inTurn(() => this.#opened().then(() => undefined));
  }

  /** Logits [places, columns]. @param tokens [rows, time] @throws PolicyError */
  run(tokens: BigInt64Array<ArrayBuffer>, rows: number, time: number, places: Uint32Array): Promise<Float32Array<ArrayBuffer>> {
    return this.#inTurn(async () => {
      const port = await this.#opened();
      const answer = await this.#ask(port, { type: "run", tokens, rows, time, places }, PATIENCE);
      if (answer.type === "ran") return answer.logits;
      this.#end();
      if (answer.type === "late") throw new PolicyError(`the model did not answer within ${PATIENCE / 1000} seconds: it was ended, and the next call loads it anew`, { late: true });
      throw new PolicyError(`the model failed: ${reasonOf(answer)}`);
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#settle({ type: "broken", reason: "it was closed" });
    this.#port?.terminate();
    this.#port = undefined;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #opened(): Promise<PlayerPort> {
    if (this.#isDisposed) throw new PolicyError("the policy was closed");
    if (this.#port !== undefined) return this.#port;
    const port = this.#parts.spawn();
    this.#port = port;
    // What a worker that was given up still says is not heard.
    port.listen(
      (message) => this.#port === port && this.#settle(message),
      (reason) => this.#port === port && this.#broke(reason),
    );
    const answer = await this.#ask(port, { type: "open", ...this.#model }, LOADING);
    if (answer.type === "opened") return port;
    this.#end();
    throw new PolicyError(answer.type === "late" ? `the model was not loaded within ${LOADING / 1000} seconds` : `the model cannot be loaded: ${reasonOf(answer)}`);
  }

  #ask(port: PlayerPort, message: ToPlayer, patience: number): Promise<Answer> {
    return new Promise((resolve) => {
      const stop = this.#parts.after(patience, () => this.#settle({ type: "late" }));
      this.#settle = (answer) => {
        this.#settle = () => undefined;
        stop();
        resolve(answer);
      };
      port.post(message);
    });
  }

  /** A worker may break down between two calls as well. */
  #broke(reason: string): void {
    this.#settle({ type: "broken", reason });
    this.#end();
  }

  #end(): void {
    if (this.#port === undefined) return;
    this.#port.terminate();
    this.#port = undefined;
    this.#replaced += 1;
  }
}

const reasonOf = (answer: Answer): string => (answer.type === "failed" ? answer.message : answer.type === "broken" ? answer.reason : `it answered ${answer.type}`);
