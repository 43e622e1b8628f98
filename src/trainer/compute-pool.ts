import { PolicyError } from "#core/errors.ts";
import { Lifeline } from "#core/lifeline.ts";
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

/** A thread that is killed may say nothing at all. Counted in ticks, not by the clock: a page that was frozen has not waited meanwhile. */
const TICK = 5_000;
const TICKS_MISSED = 6;

export interface ComputePoolParts {
  readonly module: WebAssembly.Module;
  readonly flavour: WasmFlavour;
  /** Beside the calling thread. */
  readonly threads: number;
  spawn(): ComputeThread;
  /** Resolves after so many milliseconds. */
  wait(milliseconds: number): Promise<void>;
}

/** Every call settles: with an error where the thread has broken down, or has not answered anything for long. */
function guarded({ unit, whenBroken }: ComputeThread, wait: (milliseconds: number) => Promise<void>, onSilent: () => void): ComputeUnit {
  const line = new Lifeline();
  void whenBroken.then((message) => line.cut(new PolicyError(`a compute thread broke down: ${message}`)));
  let [waiting, answers, isWatched] = [0, 0, false];
  const watch = async (): Promise<void> => {
    isWatched = true;
    for (let [heard, missed] = [answers, 0]; waiting > 0; ) {
      await wait(TICK);
      missed = heard === answers ? missed + 1 : 0;
      heard = answers;
      if (missed < TICKS_MISSED || waiting === 0) continue;
      line.cut(new PolicyError("a compute thread gives no answer"));
      onSilent();
      return;
    }
    isWatched = false;
  };
  const raced = <A extends readonly unknown[], R>(call: (...values: A) => Promise<R>) => async (...values: A): Promise<R> => {
    waiting += 1;
    if (!isWatched) void watch();
    try {
      return await line.hold(call(...values));
    } finally {
      waiting -= 1;
      answers += 1;
    }
  };
  return {
    open: raced((setting) => unit.open(setting)), close: raced(() => unit.close()), load: raced((weights) => unit.load(weights)),
    setReference: raced((weights) => unit.setReference(weights)), sample: raced((requests, options) => unit.sample(requests, options)),
    nextLogprobs: raced((requests) => unit.nextLogprobs(requests)), forward: raced((batch, share) => unit.forward(batch, share)),
    backward: raced((grads) => unit.backward(grads)), takeShards: raced((from, to) => unit.takeShards(from, to)),
  };
}

/** Threads that help one policy at a time: started with the first, replaced where they broke down. */
export class ComputePool {
  readonly #parts: ComputePoolParts;
  #threads: { readonly thread: ComputeThread; readonly unit: ComputeUnit }[] = [];
  #isLent = false;
  /** Resolves when the policy that was helped last is disposed of. */
  #free: Promise<void> = Promise.resolve();

  constructor(parts: ComputePoolParts) {
    this.#parts = parts;
  }

  /** Whether `share` would not have to wait. */
  get isFree(): boolean {
    return !this.#isLent;
  }

  /**
   * The policy with its work shared, once the one before is disposed of; its numbers do not change. Where no thread can be had it works
   * alone.
   */
  async share(local: EnginePolicy, options: PolicyOptions): Promise<EnginePolicy> {
    const { threads, module, flavour } = this.#parts;
    if (threads === 0) return local;
    const before = this.#free;
    let giveBack = (): void => {};
    this.#free = new Promise((resolve) => {
      giveBack = resolve;
    });
    await before;
    this.#isLent = true;
    const end = (): void => {
      this.#isLent = false;
      giveBack();
    };
    try {
      const units = this.#units();
      const weights = await local.snapshot();
      await Promise.all(units.map((unit) => unit.open({ module, flavour, options, weights })));
      const pooled = createPooledPolicy(local, units);
      return {
        ...pooled,
        dispose() {
          pooled.dispose();
          end();
        },
      };
    } catch {
      end();
      return local;
    }
  }

  #units(): readonly ComputeUnit[] {
    const { threads, spawn } = this.#parts;
    while (this.#threads.length < threads) this.#add(spawn());
    return this.#threads.map(({ unit }) => unit);
  }

  #add(thread: ComputeThread): void {
    this.#threads.push({ thread, unit: guarded(thread, this.#parts.wait, () => this.#drop(thread)) });
    void thread.whenBroken.then(() => this.#drop(thread));
  }

  #drop(thread: ComputeThread): void {
    this.#threads = this.#threads.filter((other) => other.thread !== thread);
    thread.end();
  }
}
