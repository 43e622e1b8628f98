import { readFile } from "node:fs/promises";
import { InferenceSession, Tensor } from "onnxruntime-web";
import { expect, test } from "vitest";
import { createRng, drawIndex } from "#core/rng.ts";
import { readCheckpoint } from "#engine/checkpoint.ts";
import { initialWeights, layoutOf, type ModelConfig, type ModelLayout } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { integer, string } from "#engine/onnx/wire.ts";
import { createPolicy } from "#engine/policy-backend.ts";
import { TINY } from "./tiny.ts";
import { wasmExecutor } from "./wasm-modules.ts";

const anything = (vocabularySize: number) => ({ vocabularySize, states: 1, next: new Uint16Array(vocabularySize), startState: 0, endToken: 0 });

/** Largest difference between onnxruntime-web's log-probabilities and the engine's, over whole contexts at once. */
async function largestDifference(layout: ModelLayout, weights: Float32Array, contexts: readonly Uint32Array[]): Promise<number> {
  const { vocabulary } = layout.config;
  const session = await InferenceSession.create(exportOnnx(layout, weights), { executionProviders: ["wasm"] });
  const policy = createPolicy(await wasmExecutor("simd128"), { model: layout.config, automaton: anything(vocabulary), maxGradNorm: 1, weightDecay: 0 }, weights);
  let largest = 0;
  for (const tokens of contexts) {
    const { logits } = await session.run({ tokens: new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]) });
    const data = (await logits?.getData()) as Float32Array;
    const last = data.subarray((tokens.length - 1) * layout.headColumns).subarray(0, vocabulary);
    const total = Math.log(last.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const ours = await policy.nextLogprobs([{ tokens, automatonState: 0, slot: 0, rng: createRng(1) }]);
    for (const [token, logit] of last.entries()) largest = Math.max(largest, Math.abs(logit - total - (ours[token] ?? Number.NaN)));
  }
  await session.release();
  return largest;
}

const contextsOf = (count: number, { vocabulary, context }: ModelConfig): Uint32Array[] => {
  const rng = createRng(9);
  return Array.from({ length: count }, () => Uint32Array.from({ length: 1 + drawIndex(rng, context) }, () => drawIndex(rng, vocabulary)));
};

test("the shipped policy through onnxruntime-web equals our engine within 1e-4 on 100 contexts", async () => {
  const { model, weights } = readCheckpoint(new Uint8Array(await readFile(new URL("../../../public/policies/refund-desk.safetensors", import.meta.url))));
  expect(await largestDifference(layoutOf(model), weights, contextsOf(100, model))).toBeLessThan(1e-4);
});

test.each([{ ...TINY, valueHead: true }, { ...TINY, layers: 3, width: 48 }])("a blank policy of another shape does too: %o", async (model) => {
  const layout = layoutOf(model);
  expect(await largestDifference(layout, initialWeights(layout, createRng(3)), contextsOf(20, model))).toBeLessThan(1e-4);
});

test("another token before the last changes what is predicted", async () => {
  const layout = layoutOf(TINY);
  const weights = initialWeights(layout, createRng(3));
  const session = await InferenceSession.create(exportOnnx(layout, weights), { executionProviders: ["wasm"] });
  const logitsOf = async (...tokens: number[]): Promise<unknown> => (await session.run({ tokens: new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]) }))["logits"]?.data.slice(-layout.headColumns);
  expect(await logitsOf(2, 5, 7)).not.toEqual(await logitsOf(2, 6, 7));
  await session.release();
});

test("numbers and texts are written as the protocol-buffer documents say", () => {
  expect([...integer(1, 150)]).toEqual([0x08, 0x96, 0x01]);
  expect([...string(2, "testing")]).toEqual([0x12, 0x07, ...new TextEncoder().encode("testing")]);
  expect([...integer(3, -1)]).toEqual([0x18, ...new Array<number>(9).fill(0xff), 0x01]);
});
