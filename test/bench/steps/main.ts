import { create, globals } from "webgpu";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { Steps } from "#trainer/steps.ts";
import { anything, batchOf } from "../page/batch.ts";
import { problemOf } from "../page/problem.ts";

const ALGORITHM = { objective: { id: "clipped", ...OBJECTIVES.clipped.defaults }, clipLow: 0.2, clipHigh: 0.28 } as const;

export interface StepTimes {
  readonly ms: number;
  readonly submits: number;
}

/** Milliseconds and submits a step of PPO's objective takes, on Node's adapter, with and without its form on the device. */
export async function openSteps(size: string): Promise<Record<"form on the device" | "statistics read, numbers later" | "every number waited for", (steps: number) => Promise<StepTimes>>> {
  Object.assign(globalThis, globals);
  const gpu = create([]);
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error("no WebGPU adapter in Node: VK_ICD_FILENAMES should name a driver");
  const device = await adapter.requestDevice();
  let submits = 0;
  const submit = device.queue.submit.bind(device.queue);
  Object.assign(device.queue, {
    submit: (commands: Iterable<GPUCommandBuffer>) => {
      submits += 1;
      return submit(commands);
    },
  });
  const problem = problemOf(size);
  const batch = { ...batchOf(problem), advantages: new Float32Array(batchOf(problem).tokens.length).fill(0.5) };
  const timed = (change: (policy: EnginePolicy) => EnginePolicy) => {
    const executor = new WebGpuExecutor(device);
    const policy = change(createPolicy(executor, { model: problem.model, automaton: anything(problem.model.vocabulary), maxGradNorm: 1, weightDecay: 0 }, problem.weights));
    return async (count: number): Promise<StepTimes> => {
      const steps = new Steps(policy, ALGORITHM, (what, value) => new Error(`the ${what} is ${value}`));
      const [since, before] = [performance.now(), submits];
      for (let step = 0; step < count; step += 1) await steps.take(batch, problem.learningRate);
      await steps.measured();
      // Keeps the adapter, whose native instance goes with it.
      if (gpu === undefined) throw new Error("no instance");
      return { ms: (performance.now() - since) / count, submits: (submits - before) / count };
    };
  };
  return {
    "form on the device": timed((policy) => policy),
    "statistics read, numbers later": timed((policy) => ({ ...policy, learn: undefined })),
    "every number waited for": timed((policy) => ({ ...policy, learn: undefined, queueDepth: 0 })),
  };
}
