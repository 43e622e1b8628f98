import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { SampleRequest } from "#core/policy.ts";
import { createRng } from "#core/rng.ts";
import { matmul, MATMUL } from "#engine/kernels/matmul/index.ts";
import { heaviestRow, layoutOf } from "#engine/model.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { pilot } from "#engine/webgpu/probe.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { AUTOMATON, randomBatch, TINY } from "../unit/engine/tiny.ts";
import { findDevice, openDevice } from "./device.ts";

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

  it("no dispatch is over 50 ms by the pilot's measure, however long the batch: more of them change no bit", async () => {
    const measured = await pilot(device, () => performance.now());
    expect(measured).toBeGreaterThan(heaviestRow(layoutOf(TINY)));
    const dispatched = vi.spyOn(GPUComputePassEncoder.prototype, "dispatchWorkgroups");
    const learnt = async (operationsAtOnce: number) => {
      dispatched.mockClear();
      const executor = new WebGpuExecutor(device, { operationsAtOnce });
      const policy = createPolicy(executor, OPTIONS, createRng(1));
      for (const turn of [0, 1]) {
        await policy.sample(requests(turn), { greedy: false, maxTokens: 4 });
        await learn(policy);
      }
      const weights = await policy.snapshot();
      policy.dispose();
      executor.dispose();
      return { weights: [...weights], dispatches: dispatched.mock.calls.length };
    };
    const [whole, pieces] = [await learnt(Infinity), await learnt(8 * heaviestRow(layoutOf(TINY)))];
    expect(pieces.dispatches).toBeGreaterThan(1.5 * whole.dispatches);
    expect(pieces.weights).toEqual(whole.weights);
    // One dispatch as large as the pilot allows, timed.
    const rows = Math.ceil(measured / (2 * 64 * 256));
    const executor = new WebGpuExecutor(device);
    const [from, weights, to] = [executor.alloc("from", "f32", rows * 64), executor.alloc("weights", "f32", 64 * 256), executor.alloc("to", "f32", rows * 256)];
    const times: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const since = performance.now();
      executor.run(matmul, [from, weights, weights, to], { inner: 64, columns: 256, mode: MATMUL.STORE, rows });
      await executor.read(to, 0, 1);
      times.push(performance.now() - since);
    }
    executor.dispose();
    expect(Math.min(...times)).toBeLessThan(50);
  });

  it("nothing is compiled twice, in one run or in the next on the same device", async () => {
    const fresh = await openDevice();
    const compiled = [vi.spyOn(fresh, "createComputePipeline"), vi.spyOn(fresh, "createComputePipelineAsync")];
    const keys = (): string[] => compiled.flatMap(({ mock }) => mock.calls.map(([{ label }]) => label ?? ""));
    const modules = vi.spyOn(fresh, "createShaderModule");
    const run = async (): Promise<void> => {
      const executor = new WebGpuExecutor(fresh);
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
    fresh.destroy();
  });
});
