import { PolicyError } from "#core/errors.ts";
import { createPooledPolicy } from "#engine/pool/pooled-policy.ts";
import type { ComputeUnit } from "#engine/pool/compute-unit.ts";
import type { EnginePolicy, PolicyOptions } from "#engine/policy-backend.ts";
import type { WasmFlavour } from "#engine/wasm/wasm-executor.ts";

/** One more thread. */
export interface ComputeThread {
  readonly unit: ComputeUnit;
  /** Resolves with what went wrong when the thread has broken down; it answers nothing from then on. */
  readonly whenBroken: Promise<string>;
  end(): void;
}

/** Threads beyond this gain little for models of this size. */
const MOST_THREADS = 4;

/** How many threads to compute on, the calling one included: all cores up to four. */
export const threadsFor = (cores: number): number => Math.max(1, Math.min(MOST_THREADS, cores));

/** A thread that is killed may say nothing at all: no piece of work takes nearly this long, in milliseconds. */
const PATIENCE = 60_000;

export interface ComputePoolParts {
  readonly module: WebAssembly.Module;
  readonly flavour: WasmFlavour;
  /** Beside the calling thread. */
  readonly threads: number;
  spawn(): ComputeThread;
  /** Resolves after so many milliseconds. */
  wait(milliseconds: number): Promise<void>;
}

/** Every call settles. */
function guarded({ unit, whenBroken }: ComputeThread, wait: (milliseconds: number) => Promise<void>): ComputeUnit {
  const broken = whenBroken.then((message): never => {
    throw new PolicyError(`a compute thread broke down (${message}): the run can go on from its last kept update`);
  });
  broken.catch(() => undefined);
  const silent = async (): Promise<never> => {
    await wait(PATIENCE);
    throw new PolicyError("a compute thread gives no answer: the run can go on from its last kept update");
  };
  const raced = <A extends readonly unknown[], R>(call: (...values: A) => Promise<R>) => (...values: A): Promise<R> => Promise.race([call(...values), broken, silent()]);
  return {
    open: raced((setting) => unit.open(setting)), close: raced(() => unit.close()), load: raced((weights) => unit.load(weights)),
    setReference: raced((weights) => unit.setReference(weights)), sample: raced((requests, options) => unit.sample(requests, options)),
    nextLogprobs: raced((requests) => unit.nextLogprobs(requests)), forward: raced((batch, share) => unit.forward(batch, share)),
    backward: raced((grads) => unit.backward(grads)), takeShards: raced((from, to) => unit.takeShards(from, to)),
  };
}

/** Threads that help whichever policy was shared last; started when the first one is, replaced when one broke down. */
export class ComputePool {
  readonly #parts: ComputePoolParts;
  #threads: ComputeThread[] = [];

  constructor(parts: ComputePoolParts) {
    this.#parts = parts;
  }

  /** The policy with its work shared; its numbers do not change. */
  async share(local: EnginePolicy, options: PolicyOptions): Promise<EnginePolicy> {
    const { threads, spawn, wait, module, flavour } = this.#parts;
    if (threads === 0) return local;
    while (this.#threads.length < threads) this.#add(spawn());
    const units = this.#threads.map((thread) => guarded(thread, wait));
    const weights = await local.snapshot();
    await Promise.all(units.map((unit) => unit.open({ module, flavour, options, weights })));
    return createPooledPolicy(local, units);
  }

  #add(thread: ComputeThread): void {
    this.#threads.push(thread);
    void thread.whenBroken.then(() => {
      this.#threads = this.#threads.filter((other) => other !== thread);
      thread.end();
    });
  }
}
