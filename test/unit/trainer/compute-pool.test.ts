import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { createComputeUnit, type ComputeUnit } from "#engine/pool/compute-unit.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
import { ComputePool, threadsFor, type ComputeThread } from "#trainer/compute-pool.ts";
import { AUTOMATON, TINY } from "../engine/tiny.ts";

const OPTIONS = { model: TINY, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 };
const module = await WebAssembly.compile(new Uint8Array(await readFile(new URL("../../../src/engine/wasm/simd128.wasm", import.meta.url))));
const local = async (): Promise<EnginePolicy> => createPolicy(await createWasmExecutor(module, "simd128"), OPTIONS, createRng(1));

const requests = Array.from({ length: 20 }, (_, slot) => ({ tokens: Uint32Array.of(2, 7, 1 + (slot % 12)), slot, rng: createRng(slot), automatonState: AUTOMATON.startState }));

interface Made extends ComputeThread {
  calls: number;
  ended: boolean;
  break(message: string): void;
}

/** Threads on this thread, and time that passes when it is told to. */
function setUp({ threads = 1, unit = (own: ComputeUnit) => own } = {}) {
  const made: Made[] = [];
  const ticks: (() => void)[] = [];
  const spawn = (): ComputeThread => {
    let tell: (message: string) => void = () => {};
    const whenBroken = new Promise<string>((resolve) => {
      tell = resolve;
    });
    const own = unit(createComputeUnit());
    const thread: Made = { unit: { ...own, nextLogprobs: (asked) => ((thread.calls += 1), own.nextLogprobs(asked)) }, whenBroken, calls: 0, ended: false, end: () => void (thread.ended = true), break: tell };
    made.push(thread);
    return thread;
  };
  const wait = (): Promise<void> => new Promise((resolve) => ticks.push(resolve));
  const tick = async (): Promise<void> => {
    ticks.shift()?.();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { pool: new ComputePool({ module, flavour: "simd128", threads, spawn, wait }), made, tick, ticks };
}
const never = <R>(): Promise<R> => new Promise(() => {});

describe("threads that help a policy", () => {
  test("take their share, and are used again for the next policy", async () => {
    const { pool, made } = setUp({ threads: 2 });
    for (let round = 0; round < 2; round += 1) {
      const policy = await pool.share(await local(), OPTIONS);
      expect(await policy.nextLogprobs(requests)).toEqual(await (await local()).nextLogprobs(requests));
      policy.dispose();
    }
    expect(made.map(({ calls }) => calls)).toEqual([2, 2]);
  });

  test("help one policy at a time: the next waits until that one is disposed of", async () => {
    const { pool } = setUp();
    const first = await pool.share(await local(), OPTIONS);
    expect(pool.isFree).toBe(false);
    let isShared = false;
    const second = pool.share(await local(), OPTIONS).then((policy) => {
      isShared = true;
      return policy;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isShared).toBe(false);
    // Still the first one's weights.
    expect(await first.nextLogprobs(requests)).toEqual(await (await local()).nextLogprobs(requests));
    first.dispose();
    (await second).dispose();
    expect(pool.isFree).toBe(true);
  });

  test("that cannot be had are done without, and tried again the next time", async () => {
    let works = false;
    const { pool, made } = setUp({ unit: (own) => ({ ...own, open: (setting) => (works ? own.open(setting) : never()) }) });
    const alone = local();
    const policy = pool.share(await alone, OPTIONS);
    while (made.length === 0) await new Promise((resolve) => setTimeout(resolve));
    made[0]?.break("not found");
    expect(await policy).toBe(await alone);
    expect(made[0]?.ended).toBe(true);
    works = true;
    const next = await pool.share(await local(), OPTIONS);
    await next.nextLogprobs(requests);
    expect(made.map(({ calls }) => calls)).toEqual([0, 1]);
  });

  test("that break down at work cost no number", async () => {
    const { pool, made } = setUp({ unit: (own) => ({ ...own, nextLogprobs: never }) });
    const policy = await pool.share(await local(), OPTIONS);
    const asked = policy.nextLogprobs(requests);
    made[0]?.break("killed");
    expect(await asked).toEqual(await (await local()).nextLogprobs(requests));
  });

  test("that fall silent are given up after six ticks without an answer, and not before", async () => {
    const { pool, made, tick, ticks } = setUp({ unit: (own) => ({ ...own, nextLogprobs: never }) });
    const policy = await pool.share(await local(), OPTIONS);
    let isDone = false;
    const asked = policy.nextLogprobs(requests).then((logprobs) => {
      isDone = true;
      return logprobs;
    });
    // The first tick still hears of the opening.
    for (let missed = 0; missed < 6; missed += 1) {
      expect(made[0]?.ended).toBe(false);
      await tick();
    }
    await tick();
    expect(await asked).toEqual(await (await local()).nextLogprobs(requests));
    expect([isDone, made[0]?.ended]).toEqual([true, true]);
    // One watch at a time, however many calls there are.
    expect(ticks.length).toBeLessThanOrEqual(1);
  });

  test("are as many as there are cores, four at most", () => {
    expect([1, 2, 4, 16].map(threadsFor)).toEqual([1, 2, 4, 4]);
  });
});
