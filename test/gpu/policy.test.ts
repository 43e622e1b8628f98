import { afterAll, describe, expect, it } from "vitest";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import type { SampleRequest } from "#core/policy.ts";
import { createRng } from "#core/rng.ts";
import type { Executor } from "#engine/executor.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { AUTOMATON, randomBatch, TINY } from "../unit/engine/tiny.ts";
import { wasmExecutor } from "../unit/engine/wasm-modules.ts";
import { findDevice } from "./device.ts";

const device = await findDevice();
const OPTIONS = { model: { ...TINY, valueHead: true }, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0.01 };
const batch = randomBatch(createRng(5), [9, 1, 6, 12, 2, 7]);

/** Every coefficient the gradient kernels know, from the statistics themselves. */
function gradientsOf(stats: TokenStats, on: TrainBatch): TokenGrads {
  const along = (scale: number, from?: Float32Array): Float32Array =>
    Float32Array.from(on.mask, (mask, at) => (mask === 1 ? scale * (from?.[at] ?? on.advantages[at] ?? 0) : 0));
  return { loss: 0, dLogprobs: along(1), dEntropies: along(0.7), dKl: along(0.9), dValues: along(1, stats.values), metrics: {} };
}

const request = (tokens: readonly number[], slot: number): SampleRequest => ({
  tokens: Uint32Array.from(tokens), slot, rng: createRng(slot), automatonState: AUTOMATON.startState,
});
const contexts = Array.from({ length: 12 }, (_, index) => Array.from({ length: 1 + ((index * 7) % 23) }, (_unused, at) => 1 + ((index * 5 + at * 3) % 12)));

describe.skipIf(device === undefined)("a policy on WebGPU", () => {
  const open = (): WebGpuExecutor => new WebGpuExecutor(device as GPUDevice);
  afterAll(() => device?.destroy());

  it("takes the same training step as the definition and as WASM", async () => {
    const step = async (executor: Executor) => {
      const policy = createPolicy(executor, OPTIONS, createRng(3));
      policy.setReference(await createPolicy(createReferenceExecutor(), OPTIONS, createRng(4)).snapshot());
      const gradients: Float32Array[] = [];
      let stats: TokenStats | undefined;
      let norm = 0;
      for (let update = 0; update < 2; update += 1) {
        const pass = await policy.forward(batch);
        stats ??= pass.stats;
        await pass.backward(gradientsOf(pass.stats, batch));
        pass.dispose();
        gradients.push(await policy.gradient());
        norm = (await policy.applyUpdate(0.01)).gradNorm;
      }
      const weights = await policy.snapshot();
      policy.dispose();
      expect([executor.liveBuffers, executor.liveBytes]).toEqual([0, 0]);
      executor.dispose();
      return { stats, gradients, norm, weights };
    };
    const expected = await step(createReferenceExecutor());
    const close = (got: ArrayLike<number> | undefined, want: ArrayLike<number> | undefined, tolerance: number): void => {
      expect(got?.length).toBe(want?.length);
      const worst = Array.from(want ?? [], (value, at) => Math.abs((got?.[at] ?? NaN) - value) / (1 + Math.abs(value))).reduce((a, b) => Math.max(a, b), 0);
      expect(worst).toBeLessThan(tolerance);
    };
    for (const executor of [open(), await wasmExecutor("simd128")]) {
      const got = await step(executor);
      for (const field of ["logprobs", "entropies", "referenceLogprobs", "kl", "values"] as const) close(got.stats?.[field], expected.stats?.[field], 2e-5);
      close(got.gradients[0], expected.gradients[0], 1e-4);
      close([got.norm], [expected.norm], 1e-3);
      close(got.weights, expected.weights, 2e-3);
    }
  });

  it("samples what it trains on: the importance ratio is 1 before the first step, and not under other weights", async () => {
    const [executor, elsewhere] = [open(), open()];
    const [policy, other] = [createPolicy(executor, OPTIONS, createRng(1)), createPolicy(elsewhere, OPTIONS, createRng(2))];
    const sampled = await policy.sample(contexts.map(request), { greedy: false, maxTokens: 4 });
    const lengths = sampled.map(({ tokens }, index) => (contexts[index]?.length ?? 0) + tokens.length);
    const length = Math.max(...lengths);
    const empty: TrainBatch = randomBatch(createRng(1), lengths);
    const packed = { ...empty, mask: new Uint8Array(empty.mask.length), tokens: new Uint32Array(empty.tokens.length), automatonStates: new Uint16Array(empty.tokens.length), behaviorLogprobs: new Float32Array(empty.tokens.length) };
    for (const [index, { tokens, logprobs, automatonStates, stop }] of sampled.entries()) {
      const context = contexts[index] ?? [];
      const at = index * length;
      packed.tokens.set(context, at);
      packed.tokens.set(tokens, at + context.length);
      packed.behaviorLogprobs.set(logprobs, at + context.length);
      packed.automatonStates.set(automatonStates, at + context.length);
      packed.mask.fill(1, at + context.length, at + context.length + tokens.length);
      expect(stop).toBe("end-of-action");
    }
    const furthest = async (measured: EnginePolicy): Promise<number> => {
      const pass = await measured.forward(packed);
      pass.dispose();
      return pass.stats.logprobs.reduce((most, logprob, at) => Math.max(most, Math.abs(Math.exp(logprob - (packed.behaviorLogprobs[at] ?? NaN)) - 1)), 0);
    };
    expect(await furthest(policy)).toBeLessThan(2e-4);
    expect(await furthest(other)).toBeGreaterThan(1e-2);
    for (const opened of [policy, other]) opened.dispose();
    for (const opened of [executor, elsewhere]) {
      expect(opened.liveBuffers).toBe(0);
      opened.dispose();
    }
  });

  it("log-probabilities of a context are the same bits alone and among others", async () => {
    const executor = open();
    const policy = createPolicy(executor, OPTIONS, createRng(1));
    const of = async (chosen: readonly (readonly number[])[]): Promise<Float32Array> => {
      policy.load(await policy.snapshot());
      return policy.nextLogprobs(chosen.map(request));
    };
    const all = await of(contexts);
    for (const index of [0, 5, 11]) expect(await of([contexts[index] ?? []])).toEqual(all.slice(index * 13, (index + 1) * 13));
    policy.dispose();
    executor.dispose();
  });

  it("goes on from an exported state as if it had never stopped, on another executor of the device", async () => {
    const learn = async (policy: EnginePolicy, steps: number): Promise<void> => {
      for (let done = 0; done < steps; done += 1) {
        const pass = await policy.forward(batch);
        await pass.backward(gradientsOf(pass.stats, batch));
        pass.dispose();
        await policy.applyUpdate(0.01);
      }
    };
    const straight = createPolicy(open(), OPTIONS, createRng(3));
    await learn(straight, 2);
    const state = await straight.exportState();
    await learn(straight, 2);
    const resumed = createPolicy(open(), OPTIONS, createRng(4));
    resumed.importState(structuredClone(state));
    expect(await resumed.exportState()).toEqual(state);
    await learn(resumed, 2);
    expect(await resumed.exportState()).toEqual(await straight.exportState());
    straight.dispose();
    resumed.dispose();
  });
});
