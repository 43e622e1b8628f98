import relaxedUrl from "#engine/wasm/relaxed.wasm?url";
import simd128Url from "#engine/wasm/simd128.wasm?url";
import type { TokenLoss } from "#core/objective.ts";
import type { Executor } from "#engine/executor.ts";
import { memoryOf } from "#engine/memory.ts";
import { heaviestRow } from "#engine/model.ts";
import { createPolicy, type EnginePolicy, type PolicyOptions } from "#engine/policy-backend.ts";
import { createWasmExecutor, type WasmFlavour } from "#engine/wasm/wasm-executor.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { findAdapter } from "#engine/webgpu/probe.ts";
import { computeThread } from "#trainer/browser-compute.ts";
import { ComputePool, type ComputeThread } from "#trainer/compute-pool.ts";
import { anything, batchOf } from "./batch.ts";
import type { OpenContestant } from "./problem.ts";
import { products } from "./products.ts";
import { rollOnce } from "./rollouts.ts";

type Share = (policy: EnginePolicy, options: PolicyOptions) => Promise<EnginePolicy>;

const own = (executorOf: () => Promise<Executor>, share: Share = (policy) => Promise.resolve(policy)): OpenContestant => async (problem) => {
  const executor = await executorOf();
  const { model, weights, learningRate } = problem;
  // The norm is far above any gradient's: peers do not clip.
  const options = { model, automaton: anything(model.vocabulary), maxGradNorm: 1e9, weightDecay: 0 };
  const policy = await share(createPolicy(executor, options, weights), options);
  const batch = batchOf(problem);
  const counted = batch.rows * (batch.length - 1);
  const dLogprobs = new Float32Array(batch.rows * batch.length).fill(-1 / counted);
  const size = batch.rows * batch.length;
  const loss: TokenLoss = {
    surrogate: "weight", clipLow: 0, clipHigh: 0, dualClip: null, weights: new Float32Array(size).fill(1 / counted), advantages: new Float32Array(size).fill(1),
    behaviorLogprobs: batch.behaviorLogprobs, entropyCoefficient: 0, klCoefficient: 0, klEstimator: "exact", valueWeight: 0,
  };
  let rolled = 0;
  const lossOf = (logprobs: Float32Array): number => -logprobs.reduce((sum, logprob) => sum + logprob, 0) / counted;
  return {
    async train() {
      if (policy.learn) return (await policy.learn(batch, loss, learningRate)).sums.loss;
      const pass = await policy.forward(batch);
      const mean = lossOf(pass.stats.logprobs);
      await pass.backward({ loss: mean, dLogprobs, metrics: {} });
      await policy.applyUpdate(learningRate);
      pass.dispose();
      return mean;
    },
    async forward() {
      const pass = await policy.forward(batch);
      pass.dispose();
      return lossOf(pass.stats.logprobs);
    },
    rollouts: () => rollOnce(policy, (rolled += 1)),
    products: () => products(executor, problem),
    memory: () => ({
      allocated: executor.liveBytes,
      said: memoryOf(policy.layout, 1, executor.rowsAtOnce(heaviestRow(policy.layout)), {
        rows: counted, picks: counted, hasReference: false, contexts: 0, contextTokens: 0, actionTokens: 0,
      }),
    }),
    dispose() {
      policy.dispose();
      executor.dispose();
    },
  };
};

async function openDevice(): Promise<GPUDevice> {
  const { adapter } = await findAdapter(navigator.gpu);
  if (adapter === undefined) throw new Error("there is no WebGPU adapter");
  return adapter.requestDevice();
}

/** Shared with one more thread, as the app does it. */
const withTwo = (url: string, flavour: WasmFlavour): Share => async (policy, options) => {
  const spawn = (): ComputeThread => computeThread(new Worker(new URL("../../../workers/compute.worker.ts", import.meta.url), { type: "module", name: "compute" }));
  const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  return new ComputePool({ module: await compiled(url), flavour, threads: 1, spawn, wait }).share(policy, options);
};

const compiled = async (url: string): Promise<WebAssembly.Module> => WebAssembly.compileStreaming(fetch(url));

export const OWN = {
  "turnwise wasm relaxed": own(async () => createWasmExecutor(await compiled(relaxedUrl), "relaxed")),
  "turnwise wasm simd128": own(async () => createWasmExecutor(await compiled(simd128Url), "simd128")),
  "turnwise wasm relaxed, 2 threads": own(async () => createWasmExecutor(await compiled(relaxedUrl), "relaxed"), withTwo(relaxedUrl, "relaxed")),
  "turnwise webgpu": own(async () => new WebGpuExecutor(await openDevice())),
} as const satisfies Record<string, OpenContestant>;
