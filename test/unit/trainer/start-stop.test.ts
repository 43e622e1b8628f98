import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { createRng } from "#core/rng.ts";
import { createComputeUnit } from "#engine/pool/compute-unit.ts";
import { createPolicy } from "#engine/policy-backend.ts";
import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
import { ComputePool } from "#trainer/compute-pool.ts";
import { AUTOMATON, randomBatch, TINY } from "../engine/tiny.ts";

const CYCLES = Number(process.env["TURNWISE_CYCLES"] ?? 400);
/** The engine itself warms up in the first cycles: what it keeps then it keeps once. */
const WARM = 100;
const OPTIONS = { model: TINY, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 };
const batch = randomBatch(createRng(3), [5, 12, 9, 20, 7, 3, 8, 8]);
const requests = Array.from({ length: 20 }, (_, slot) => ({ tokens: Uint32Array.of(2, 7, 1 + (slot % 12)), slot, rng: createRng(slot), automatonState: AUTOMATON.startState }));

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");
/** Bytes in use once nothing is left to collect: of objects, and of memory outside them. */
async function inUse(): Promise<{ readonly heap: number; readonly buffers: number }> {
  for (let round = 0; round < 3; round += 1) {
    if (typeof collect === "function") collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test(`after ${CYCLES} starts and stops buffers, threads and heap are where they were, and nothing was compiled again`, { timeout: 180_000 }, async () => {
  const module = await WebAssembly.compile(new Uint8Array(await readFile(new URL("../../../src/engine/wasm/simd128.wasm", import.meta.url))));
  const compile = [vi.spyOn(WebAssembly, "compile"), vi.spyOn(WebAssembly, "Module")];
  let spawned = 0;
  const spawn = () => {
    spawned += 1;
    return { unit: createComputeUnit(), whenBroken: new Promise<string>(() => {}), end: () => {} };
  };
  const pool = new ComputePool({ module, flavour: "simd128", threads: 1, spawn, wait: () => new Promise(() => {}) });
  const cycle = async (): Promise<number> => {
    const executor = await createWasmExecutor(module, "simd128");
    const policy = await pool.share(createPolicy(executor, OPTIONS, createRng(1)), OPTIONS);
    await policy.sample(requests, { greedy: false, maxTokens: 4 });
    const pass = await policy.forward(batch);
    await pass.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
    pass.dispose();
    await policy.applyUpdate(0.01);
    policy.dispose();
    const left = executor.liveBuffers;
    executor.dispose();
    return left;
  };
  let before = await inUse();
  for (let done = 1; done <= CYCLES; done += 1) {
    expect(await cycle()).toBe(0);
    if (done === WARM) before = await inUse();
  }
  const after = await inUse();
  expect(spawned).toBe(1);
  for (const spy of compile) expect(spy).not.toHaveBeenCalled();
  // One cycle takes some 0.6 MB of buffers: a cycle in a hundred that kept them would show.
  expect(after.buffers - before.buffers).toBeLessThan(2e6);
  expect(after.heap - before.heap).toBeLessThan(4e6);
});
