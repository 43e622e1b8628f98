import { expect, test } from "vitest";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import { createRng, drawIndex } from "#core/rng.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { AUTOMATON, randomBatch, TINY } from "./tiny.ts";
import { wasmExecutor } from "./wasm-modules.ts";

const model = { ...TINY, valueHead: true };
const options = { model, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 };
const batch = randomBatch(createRng(5), [9, 1, 6, 12, 2, 7]);

/** A loss with every term the gradient kernel knows: log-probability, entropy, KL and value. */
function lossOf(stats: TokenStats, on: TrainBatch): TokenGrads {
  const grads = { dLogprobs: new Float32Array(on.tokens.length), dEntropies: new Float32Array(on.tokens.length), dKl: new Float32Array(on.tokens.length), dValues: new Float32Array(on.tokens.length) };
  let loss = 0;
  for (const [at, mask] of on.mask.entries()) {
    if (mask === 0) continue;
    const [a, value] = [on.advantages[at] ?? 0, stats.values?.[at] ?? 0];
    loss += a * (stats.logprobs[at] ?? 0) + 0.7 * (stats.entropies[at] ?? 0) + 0.9 * (stats.kl?.[at] ?? 0) + 0.5 * (value - a) ** 2;
    grads.dLogprobs[at] = a;
    grads.dEntropies[at] = 0.7;
    grads.dKl[at] = 0.9;
    grads.dValues[at] = value - a;
  }
  return { loss, ...grads, metrics: {} };
}

async function lossAndGradient(policy: EnginePolicy): Promise<{ loss: number; gradient: Float32Array }> {
  const pass = await policy.forward(batch);
  const grads = lossOf(pass.stats, batch);
  await pass.backward(grads);
  pass.dispose();
  const gradient = await policy.gradient();
  policy.resetOptimizer();
  return { loss: grads.loss, gradient };
}

const start = (policy: EnginePolicy): Promise<Float32Array> => {
  // Away from the initial point, where gains are 1 and the value head is 0.
  const rng = createRng(8);
  return policy.snapshot().then((weights) => {
    const moved = weights.map((weight) => weight + 0.1 * (rng.next() * 2 - 1));
    const columns = policy.layout.headColumns;
    const head = policy.layout.tensors.slice(0, policy.layout.tensors.findIndex(({ name }) => name === "head")).reduce((sum, { size }) => sum + size, 0);
    for (let index = 0; index < model.width * columns; index += 1) if (index % columns >= model.vocabulary) moved[head + index] = 0;
    return moved;
  });
};

test("one whole backward pass agrees with finite differences of the loss, tensor by tensor", async () => {
  const policy = createPolicy(createReferenceExecutor(), options, createRng(3));
  const weights = await start(policy);
  policy.setReference((await createPolicy(createReferenceExecutor(), options, createRng(4)).snapshot()).map((weight) => weight * 1.1));
  policy.load(weights);
  const { gradient } = await lossAndGradient(policy);
  const rng = createRng(9);
  let offset = 0;
  for (const { name, size } of policy.layout.tensors) {
    // A few entries at a time: a ReLU that changes sides within the step would spoil a dense direction.
    const chosen = new Set(Array.from({ length: 24 }, () => drawIndex(rng, size)));
    const direction = Float32Array.from({ length: size }, (_, index) => (chosen.has(index) ? Math.sign(gradient[offset + index] ?? 0) : 0));
    const moved = async (step: number): Promise<number> => {
      const there = weights.slice();
      for (let index = 0; index < size; index += 1) there[offset + index] = (there[offset + index] ?? 0) + step * (direction[index] ?? 0);
      policy.load(there);
      const pass = await policy.forward(batch);
      pass.dispose();
      return lossOf(pass.stats, batch).loss;
    };
    const step = 3e-4;
    const numeric = ((await moved(step)) - (await moved(-step))) / (2 * step);
    const analytic = direction.reduce((sum, sign, index) => sum + sign * (gradient[offset + index] ?? 0), 0);
    expect(Math.abs(analytic), name).toBeGreaterThan(1e-3);
    expect(Math.abs(numeric - analytic), `${name}: ${numeric} against ${analytic}`).toBeLessThan(0.02 * Math.abs(analytic) + 5e-3);
    offset += size;
  }
}, 60_000);

test.each(["simd128", "relaxed"] as const)("a training step on %s agrees with the definition", async (flavour) => {
  const results = [];
  for (const executor of [createReferenceExecutor(), await wasmExecutor(flavour)]) {
    const policy = createPolicy(executor, options, createRng(3));
    policy.load(await start(policy));
    policy.setReference(await createPolicy(createReferenceExecutor(), options, createRng(4)).snapshot());
    const { loss, gradient } = await lossAndGradient(policy);
    const pass = await policy.forward(batch);
    await pass.backward(lossOf(pass.stats, batch));
    pass.dispose();
    const { gradNorm } = await policy.applyUpdate(0.01);
    results.push({ loss, gradient, gradNorm, weights: await policy.snapshot() });
    policy.dispose();
    expect(executor.liveBuffers).toBe(0);
  }
  const [reference, wasm] = results;
  expect(wasm?.loss).toBeCloseTo(reference?.loss ?? NaN, 4);
  expect(wasm?.gradNorm).toBeCloseTo(reference?.gradNorm ?? NaN, 4);
  reference?.gradient.forEach((value, index) => expect(Math.abs((wasm?.gradient[index] ?? NaN) - value)).toBeLessThan(1e-4 * (1 + Math.abs(value))));
  expect(reference?.weights.some((value, index) => Math.abs((wasm?.weights[index] ?? NaN) - value) > 2e-4)).toBe(false);
});
