import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { wrap } from "comlink";
import nodeEndpoint from "comlink/dist/esm/node-adapter.mjs";
import type { ComputeUnit } from "#engine/pool/compute-unit.ts";
import type { EnginePolicy, PolicyOptions } from "#engine/policy-backend.ts";
import type { WasmFlavour } from "#engine/wasm/wasm-executor.ts";
import { ComputePool, threadsFor, type ComputeThread } from "#trainer/compute-pool.ts";
import { kernelsOf, type BackendName } from "./host.ts";
import { wholeNumber } from "./options.ts";

const MOST_THREADS = 8;

export const THREADS_USAGE = `  --threads N         compute on so many threads (wasm; default ${threadsFor(availableParallelism())} here); results do not depend on it`;

/** @throws UsageError */
export const threadsOf = (text: string | undefined): number => (text === undefined ? threadsFor(availableParallelism()) : wholeNumber("threads", text, 1, MOST_THREADS));

function spawn(): ComputeThread {
  const worker = new Worker(new URL("compute-thread.mjs", import.meta.url));
  const whenBroken = new Promise<string>((resolve) => {
    worker.on("error", (error) => resolve(error instanceof Error ? error.message : String(error)));
    worker.on("exit", (code) => resolve(`it ended with ${code}`));
  });
  return { unit: wrap<ComputeUnit>(nodeEndpoint(worker)), whenBroken, end: () => void worker.terminate() };
}

/** The policy with its work shared by so many threads, this one among them; only where WASM runs. */
export async function onThreads(policy: EnginePolicy, options: PolicyOptions, backend: BackendName, flavour: WasmFlavour, threads: number): Promise<EnginePolicy> {
  if (backend !== "wasm" || threads === 1) return policy;
  const pool = new ComputePool({ module: await kernelsOf(flavour), flavour, threads: threads - 1, spawn, wait: (milliseconds) => wait(milliseconds, undefined, { ref: false }) });
  return pool.share(policy, options);
}
