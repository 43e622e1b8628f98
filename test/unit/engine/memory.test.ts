import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import type { Executor } from "#engine/executor.ts";
import { memoryOf } from "#engine/memory.ts";
import { heaviestRow } from "#engine/model.ts";
import { createPolicy } from "#engine/policy-backend.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { AUTOMATON, randomBatch, TINY } from "./tiny.ts";
import { wasmExecutor } from "./wasm-modules.ts";

const executors: readonly (readonly [string, () => Promise<Executor>])[] = [
  ["reference", () => Promise.resolve(createReferenceExecutor())],
  ["simd128", () => wasmExecutor("simd128")],
];
const sizes = [
  { label: "one short sequence", lengths: [3], contexts: 1, layers: 1, width: 32, hasReference: false, valueHead: false },
  { label: "several chunks", lengths: Array.from({ length: 90 }, (_, index) => 4 + (index % 20)), contexts: 65, layers: 2, width: 64, hasReference: false, valueHead: true },
  { label: "with a reference", lengths: Array.from({ length: 40 }, () => 24), contexts: 100, layers: 3, width: 48, hasReference: true, valueHead: true },
];

/** The executor, and the most bytes it has held. */
function watched(executor: Executor): { readonly executor: Executor; readonly peak: () => number } {
  let peak = 0;
  const alloc: Executor["alloc"] = (...wanted) => {
    const buffer = executor.alloc(...wanted);
    peak = Math.max(peak, executor.liveBytes);
    return buffer;
  };
  return { executor: Object.create(executor, { alloc: { value: alloc } }), peak: () => peak };
}

for (const [name, open] of executors)
  test.each(sizes)(`what a policy takes on ${name} is what the formula says, within a tenth: $label`, async ({ lengths, contexts, layers, width, hasReference, valueHead }) => {
    const { executor, peak } = watched(await open());
    const policy = createPolicy(executor, { model: { ...TINY, layers, width, valueHead }, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 }, createRng(1));
    if (hasReference) policy.setReference(await policy.snapshot());
    const batch = randomBatch(createRng(3), lengths);
    const pass = await policy.forward(batch);
    await pass.backward({ loss: 0, dLogprobs: batch.advantages, ...(valueHead && { dValues: batch.advantages }), metrics: {} });
    pass.dispose();
    const tokens = Uint32Array.from({ length: 12 }, (_, index) => 1 + (index % 12));
    await policy.sample(Array.from({ length: contexts }, (_, slot) => ({ tokens, slot, rng: createRng(slot), automatonState: AUTOMATON.startState })), { greedy: false, maxTokens: 4 });
    const said = memoryOf(policy.layout, AUTOMATON.states, executor.rowsAtOnce(heaviestRow(policy.layout)), {
      rows: lengths.reduce((sum, length) => sum + length - 1, 0), picks: batch.mask.reduce((sum, on) => sum + on, 0),
      contexts, contextTokens: 12 * contexts, actionTokens: 4, hasReference,
    });
    expect(said / peak()).toBeGreaterThan(0.9);
    expect(said / peak()).toBeLessThan(1.1);
    policy.dispose();
    expect(executor.liveBytes).toBe(0);
  });
