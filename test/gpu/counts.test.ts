import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { SampleRequest } from "#core/policy.ts";
import { createRng } from "#core/rng.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { AUTOMATON, randomBatch, TINY } from "../unit/engine/tiny.ts";
import { findDevice } from "./device.ts";

/** What waits for the GPU, and what is compiled, counted at the device itself. */

const found = await findDevice();
const OPTIONS = { model: TINY, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 };
const requests = (turn: number): SampleRequest[] => Array.from({ length: 12 }, (_, slot) => ({
  tokens: Uint32Array.from({ length: 1 + ((slot * 7) % 5) + 3 * turn }, (_unused, at) => 1 + ((slot * 5 + at * 3) % 12)), slot, rng: createRng(slot + 100 * turn), automatonState: AUTOMATON.startState,
}));

async function learn(policy: EnginePolicy): Promise<void> {
  const batch = randomBatch(createRng(5), [9, 1, 6, 12, 2, 7]);
  const pass = await policy.forward(batch);
  await pass.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
  pass.dispose();
  await policy.applyUpdate(0.01);
}

describe.skipIf(found === undefined)("on WebGPU", () => {
  const device = found as GPUDevice;
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => device?.destroy());

  it("a turn of sampling is one readback, whatever the number and length of contexts and actions", async () => {
    const executor = new WebGpuExecutor(device);
    const policy = createPolicy(executor, OPTIONS, createRng(1));
    const maps = vi.spyOn(GPUBuffer.prototype, "mapAsync");
    for (const turn of [0, 1, 2]) {
      const actions = await policy.sample(requests(turn), { greedy: false, maxTokens: 4 });
      expect(actions.some(({ tokens }) => tokens.length > 1)).toBe(true);
      expect(maps).toHaveBeenCalledTimes(turn + 1);
    }
    policy.dispose();
    executor.dispose();
  });

  it("nothing is compiled twice, in one run or in the next on the same device", async () => {
    const compiled = [vi.spyOn(device, "createComputePipeline"), vi.spyOn(device, "createComputePipelineAsync")];
    const keys = (): string[] => compiled.flatMap(({ mock }) => mock.calls.map(([{ label }]) => label ?? ""));
    const modules = vi.spyOn(device, "createShaderModule");
    const run = async (): Promise<void> => {
      const executor = new WebGpuExecutor(device);
      const policy = createPolicy(executor, OPTIONS, createRng(1));
      for (const turn of [0, 1]) {
        await policy.sample(requests(turn), { greedy: false, maxTokens: 4 });
        await learn(policy);
      }
      policy.dispose();
      executor.dispose();
    };
    await run();
    const first = keys();
    expect(new Set(first).size).toBe(first.length);
    expect(first.length).toBeGreaterThan(5);
    const files = modules.mock.calls.length;
    await run();
    expect(keys()).toEqual(first);
    expect(modules).toHaveBeenCalledTimes(files);
  });
});
