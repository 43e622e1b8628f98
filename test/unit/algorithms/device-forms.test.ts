import { describe, expect, test } from "vitest";
import { objectiveOnDevice } from "#algorithms/objectives/implementations.ts";
import { OBJECTIVES, type ObjectiveConfig } from "#algorithms/objectives/registry.ts";
import { createRng } from "#core/rng.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { randomBatch } from "../engine/tiny.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { differences, ON_DEVICE, randomAlgorithm, randomCase, throughKernel, type Algorithm } from "./device-forms.ts";

const EXECUTORS = [
  ["the definition", () => Promise.resolve(createReferenceExecutor()), 1e-5],
  ["simd128", () => wasmExecutor("simd128"), 1e-4],
] as const;
const algorithmOf = (id: ObjectiveConfig["id"], change: object = {}): Algorithm =>
  ({ objective: { id, ...OBJECTIVES[id].defaults, ...change } as ObjectiveConfig, clipLow: 0.2, clipHigh: 0.28 });

describe.each(EXECUTORS)("the form on the device, on %s", (_name, open, allowed) => {
  test.each(ON_DEVICE)("%s: gradients, loss and metrics are those of the objective, whatever the settings and the batch", async (id) => {
    const executor = await open();
    for (let seed = 1; seed <= 300; seed += 1) {
      const rng = createRng(seed).fork(id);
      const algorithm = randomAlgorithm(rng, id);
      const found = await differences(executor, algorithm, randomCase(rng, algorithm), allowed);
      expect(found.slice(0, 3), `seed ${seed}: ${JSON.stringify(algorithm)}`).toEqual([]);
    }
    expect(executor.liveBuffers).toBe(0);
  });
});

test("objectives that look at several tokens at once have none, nor has a value term without returns", () => {
  const { batch } = randomCase(createRng(3), { clipLow: 0.2, clipHigh: 0.28 });
  const { returns: _returns, ...without } = batch;
  for (const id of Object.keys(OBJECTIVES) as ObjectiveConfig["id"][]) {
    const has = (ON_DEVICE as readonly string[]).includes(id);
    expect(objectiveOnDevice(algorithmOf(id), batch) !== undefined, id).toBe(has);
    expect(objectiveOnDevice(algorithmOf(id, { valueCoefficient: 0.5 }), batch) !== undefined, id).toBe(has);
    expect(objectiveOnDevice(algorithmOf(id, { valueCoefficient: 0.5 }), without)).toBeUndefined();
  }
});

test("a log ratio beyond what 32 bits hold: a clipped token pulls nothing, one without advantage neither, and the others pull without bound", async () => {
  const { stats } = randomCase(createRng(5), { clipLow: 0.2, clipHigh: 0.28 });
  const batch = randomBatch(createRng(5), [4, 70]);
  const size = batch.mask.length;
  const filled = (value: number): Float32Array => new Float32Array(size).fill(value);
  const on = (advantage: number) => throughKernel(createReferenceExecutor(), algorithmOf("clipped"), { ...batch, mask: new Uint8Array(size).fill(1), behaviorLogprobs: filled(-500), advantages: filled(advantage) }, { ...stats, logprobs: filled(-1), entropies: filled(1) });
  for (const advantage of [0, 1]) {
    const got = await on(advantage);
    expect(Number.isFinite(got?.loss)).toBe(true);
    expect(got?.dLogprobs.every((slope) => Math.abs(slope) === 0 || advantage === 0)).toBe(true);
    expect(got?.dLogprobs.some(Number.isNaN)).toBe(false);
  }
  expect((await on(-1))?.loss).toBeGreaterThan(1e30);
});
