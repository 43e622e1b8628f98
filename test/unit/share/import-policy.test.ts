import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PolicyError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { readCheckpoint, writeCheckpoint } from "#engine/checkpoint.ts";
import { initialWeights, layoutOf, type ModelConfig } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { importPolicy } from "#share/import-policy.ts";

const shipped = new Uint8Array(readFileSync("public/policies/refund-desk.safetensors"));
const bits = (weights: Float32Array): Uint32Array => new Uint32Array(weights.slice().buffer);
const small: ModelConfig = { layers: 1, width: 32, context: 32, vocabulary: 7, valueHead: true };
const layout = layoutOf(small);
const weights = initialWeights(layout, createRng(3).fork("policy"));
// What a careless copy loses: the sign of zero, and the smallest numbers there are.
weights.set([-0, 1e-45, -1e-45, 3.4028234e38], 0);
const safetensors = writeCheckpoint({ model: small, weights, notes: { preset: "refund-desk" } });
const onnx = exportOnnx(layout, weights);

test("a policy goes through either form bit by bit", () => {
  const { model, weights: of, notes } = readCheckpoint(shipped);
  const again = importPolicy(writeCheckpoint({ model, weights: of, notes }));
  expect(again).toMatchObject({ form: "safetensors", model, notes });
  expect(bits(again.weights)).toEqual(bits(of));
  const through = importPolicy(exportOnnx(layoutOf(model), of));
  expect(through).toMatchObject({ form: "onnx", model });
  expect(bits(through.weights)).toEqual(bits(of));
  for (const file of [safetensors, onnx]) expect(bits(importPolicy(file).weights)).toEqual(bits(weights));
});

describe("an ONNX model of others is refused, with what is wrong", () => {
  const with_ = (edit: (bytes: Uint8Array) => void): Uint8Array => {
    const copy = onnx.slice();
    edit(copy);
    return copy;
  };
  const textAt = (text: string): number => Buffer.from(onnx).indexOf(text);
  test.each<readonly [string, Uint8Array, RegExp]>([
    ["another operator", with_((bytes) => bytes.set(new TextEncoder().encode("Selu"), textAt("Relu"))), /another than Turnwise writes/],
    ["a weight that is not finite", exportOnnx(layout, weights.with(40, Number.POSITIVE_INFINITY)), /not finite/],
    ["more behind its end", new Uint8Array([...onnx, 0x22, 0x01, 0x61]), /another than Turnwise writes/],
    ["a cut", onnx.slice(0, 4_000), /cut off/],
    ["a field as long as memory", new Uint8Array([0x08, 8, 0x12, 0xff, 0xff, 0xff, 0xff, 0x7f]), /cut off/],
    ["nothing", new Uint8Array([0x08, 8, 0x12, 0]), /there is no graph in it/],
  ])("%s", (_name, bytes, message) => {
    expect(() => importPolicy(bytes)).toThrow(message);
    expect(() => importPolicy(bytes)).toThrow(PolicyError);
  });
});

const LENGTHS = [0n, 7n, 65_537n, 2n ** 63n, 2n ** 64n - 1n] as const;
const HEADERS = ["1e999", "-1", "null", '"F64"', "[]", '[0,9007199254740993]', '{"__proto__":{"x":1}}', '"<script>alert(1)</script>"', "[[[[[]]]]]"] as const;

test("a thousand mutated policies: a PolicyError each, or weights that are finite; nothing is polluted", () => {
  const rng = createRng(20_262).fork("policies");
  const draw = (below: number): number => Math.floor(rng.next() * below);
  const counts = { refused: 0, read: 0 };
  const judge = (bytes: Uint8Array): void => {
    try {
      const { weights: read } = importPolicy(bytes);
      expect(read.every(Number.isFinite)).toBe(true);
      counts.read += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(PolicyError);
      expect(String(error).length).toBeLessThan(600);
      counts.refused += 1;
    }
  };
  const length = Number(new DataView(safetensors.buffer).getBigUint64(0, true));
  const header = new TextDecoder().decode(safetensors.subarray(8, 8 + length));
  const withHeader = (text: string): Uint8Array => {
    const encoded = new TextEncoder().encode(text);
    const bytes = new Uint8Array(8 + encoded.length + safetensors.length - 8 - length);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(encoded.length), true);
    bytes.set(encoded, 8);
    bytes.set(safetensors.subarray(8 + length), 8 + encoded.length);
    return bytes;
  };
  for (let round = 0; round < 200; round += 1) {
    for (const file of [safetensors, onnx]) {
      judge(file.slice(0, draw(file.length)));
      const flipped = file.slice();
      const at = round % 2 === 0 ? draw(file.length) : draw(Math.min(file.length, 2_000));
      flipped[at] = (flipped[at] ?? 0) ^ (1 << draw(8));
      judge(flipped);
    }
    const values = [...header.matchAll(/(?<=[:,[])(?:"[^"]*"|-?\d+|\[[\d,]*\])/g)];
    const chosen = values[draw(values.length)];
    if (chosen !== undefined) judge(withHeader(header.slice(0, chosen.index) + (HEADERS[draw(HEADERS.length)] ?? "") + header.slice(chosen.index + chosen[0].length)));
    const lied = safetensors.slice();
    new DataView(lied.buffer).setBigUint64(0, LENGTHS[draw(LENGTHS.length)] ?? 0n, true);
    judge(lied);
  }
  expect(counts.refused + counts.read).toBe(1_200);
  expect(counts.refused).toBeGreaterThan(800);
  expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
});
