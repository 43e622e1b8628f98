import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { PolicyError } from "#core/errors.ts";
import { createRng, drawIndex } from "#core/rng.ts";
import { readCheckpoint } from "#engine/checkpoint.ts";
import { initialWeights, layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { readPolicyModel } from "#engine/onnx/policy-model.ts";
import { bytes, concatenated, integer, message, string } from "#engine/onnx/wire.ts";
import { bigram, floats, foreign, value, wholes, type ForeignModel } from "../../fixtures/onnx-model.ts";
import { openInNode } from "../trainer/player-support.ts";
import { TINY } from "./tiny.ts";

const V = 8;
const FIT = { vocabulary: V, context: 16 };
const TABLE = bigram(V);
const [LOOK] = TABLE.nodes;
if (LOOK === undefined) throw new Error("the bigram has one operator");

test("what the exporter writes is read back: shapes, vocabulary and every weight", async () => {
  const { model, weights } = readCheckpoint(new Uint8Array(await readFile(new URL("../../../public/policies/refund-desk.safetensors", import.meta.url))));
  const found = readPolicyModel(exportOnnx(layoutOf(model), weights), model);
  expect(found.own?.model).toEqual(model);
  expect(Buffer.from(found.own?.weights.buffer ?? new ArrayBuffer()).equals(Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength))).toBe(true);
  expect(found).toMatchObject({ columns: layoutOf(model).headColumns, parameters: weights.length + 3 });
  // And the three constants of the graph. By hand: 2 layers of 12·64² a token and attention of 2·128²·64, and the head.
  expect(found.megaMultiplications).toBeCloseTo((128 * (2 * 12 * 64 * 64 + 64 * layoutOf(model).headColumns) + 2 * 2 * 128 * 128 * 64) / 1e6, 3);
});

test("somebody else's smallest policy is taken, and onnxruntime-web runs it", async () => {
  const bytes = foreign(TABLE);
  expect(readPolicyModel(bytes, FIT)).toMatchObject({ columns: V, parameters: V * V, own: undefined });
  const logits = await (await openInNode(bytes, "wasm")).run(BigInt64Array.of(3n), 1, 1);
  expect(logits[5]).toBeCloseTo(Math.sin(3 * V + 5), 6);
});

const with_ = (change: Partial<ForeignModel>): Uint8Array => foreign({ ...TABLE, ...change });
const chain = (...nodes: ForeignModel["nodes"]): ForeignModel["nodes"] => [...nodes, { ...LOOK, output: "logits" }];

const repeated = (count: number, field: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => new Uint8Array(count * field.length).map((_, at) => field[at % field.length] ?? 0);
/** A list eight times as long with every operator: x0, x1, … */
const lengthened = (from: string, times: number): ForeignModel["nodes"] =>
  Array.from({ length: times }, (_, step) => ({ operator: "Concat", inputs: Array.from({ length: 8 }, () => (step === 0 ? from : `x${step - 1}`)), output: `x${step}`, attributes: { axis: 0 } }));

describe("refused before a session is made", () => {
  const cases: Readonly<Record<string, readonly [Uint8Array, RegExp]>> = {
    "an operator that no policy needs": [with_({ nodes: chain({ operator: "Loop", inputs: ["tokens"], output: "x" }) }), /operator "Loop" is not allowed; allowed are Add, Concat/],
    "an operator named as a property of every object": [with_({ nodes: chain({ operator: "constructor", inputs: ["tokens"], output: "x" }) }), /operator "constructor" is not allowed/],
    "an attribute that the exporter never writes": [with_({ nodes: [{ ...LOOK, attributes: { axis: 0, batch_dims: 1 } }] }), /attribute "batch_dims"/],
    "logits for another vocabulary": [foreign(bigram(12)), /logits for 12 tokens, the environment has 8/],
    "a table that is too short for the vocabulary": [with_({ tensors: [floats("table", [4, V], Array.from({ length: 4 * V }, () => 0))] }), /"table" has 4 rows, row 7 is asked for/],
    "logits without a place for the time": [with_({ nodes: [{ operator: "Gather", inputs: ["table", "tokens"], output: "all", attributes: { axis: 0 } }, { operator: "ReduceMean", inputs: ["all"], output: "logits", attributes: { axes: [1], keepdims: 1 } }] }), /logits come out as \[2, 1, 8\]/],
    "an input of fixed size": [with_({ inputs: [value("tokens", 7, [1, 16])] }), /shape \[1, 16\].*both free/],
    "an input of another type": [with_({ inputs: [value("tokens", 1, ["batch", "time"])] }), /element type 1, shape \[batch, time\]/],
    "a second input": [with_({ inputs: [value("tokens", 7, ["b", "t"]), value("mask", 1, ["b", "t"])] }), /"mask"/],
    "no logits": [with_({ outputs: [value("scores", 1, ["b", "t", "v"])] }), /the outputs are "scores"/],
    "another operator set": [with_({ opset: 21 }), /operator set is ai.onnx 21, allowed is ai.onnx 17/],
    "operators of another domain": [with_({ domain: "com.microsoft" }), /com.microsoft 17, allowed is ai.onnx 17/],
    "a format from the future": [with_({ format: 99 }), /format \(IR\) is 99/],
    "functions within the file": [with_({ more: [message(25, [string(1, "f")])] }), /the model has field 25/],
    "sparse tensors": [with_({ moreOfGraph: [message(15, [])] }), /the graph has field 15/],
    "weights in another file": [with_({ tensors: [concatenated([integer(1, V), integer(1, V), integer(2, 1), string(8, "table"), message(13, [string(1, "location"), string(2, "/etc/passwd")]), integer(14, 1)])] }), /lie in another file/],
    "half precision": [with_({ tensors: [concatenated([integer(1, 0), integer(2, 10), string(8, "table")])] }), /element type 10, allowed are 1 \(float32\) and 7/],
    "fewer numbers than the shape says": [with_({ tensors: [floats("table", [V, V], [1, 2, 3])] }), /has 3 numbers, its shape \[8, 8\] has room for 64/],
    "a weight that is no number": [with_({ tensors: [floats("table", [V, V], Array.from({ length: V * V }, (_, place) => (place === 9 ? Number.NaN : 0)))] }), /holds NaN at place 9/],
    "a shape that would fill the memory": [with_({ tensors: [floats("table", [2 ** 50, 2 ** 50], [])] }), /has the shape/],
    "a range without an end": [with_({ tensors: [...TABLE.tensors, wholes("a", [], [0]), wholes("b", [], [2 ** 40]), wholes("c", [], [1])], nodes: chain({ operator: "Range", inputs: ["a", "b", "c"], output: "x" }) }), /Range for "x": from 0 to 1099511627776 by 1 is too long/],
    "a tensor doubled again and again": [with_({ nodes: chain(...Array.from({ length: 40 }, (_, step) => ({ operator: "Concat", inputs: step === 0 ? ["table", "table"] : [`x${step - 1}`, `x${step - 1}`], output: `x${step}`, attributes: { axis: 0 } }))) }), /too large: for 1 × 1 tokens it needs more than 67108864 numbers/],
    "more multiplications than two seconds hold": [with_({ tensors: [...TABLE.tensors, floats("big", [1500, 1500], Array.from({ length: 1500 ** 2 }, () => 0))], nodes: chain({ operator: "MatMul", inputs: ["big", "big"], output: "x" }) }), /too large.*2000 million multiplications/],
    "a size that depends on the tokens": [with_({ nodes: chain({ operator: "Reshape", inputs: ["table", "tokens"], output: "x" }) }), /Reshape for "x": input 2 must be int64 and must not depend on the tokens/],
    "a value that nothing writes": [with_({ nodes: chain({ operator: "Relu", inputs: ["nowhere"], output: "x" }) }), /reads "nowhere", which nothing before it writes/],
    "a value written twice": [with_({ nodes: chain({ operator: "Relu", inputs: ["table"], output: "table" }) }), /two values "table"/],
    "more whole numbers than positions and ids are, in a million fields": [with_({ tensors: [...TABLE.tensors, concatenated([integer(1, 1_000_000), integer(2, 7), string(8, "many"), repeated(1_000_000, integer(7, 5))])] }), /^a tensor has more than 65536 integers$/],
    "more whole numbers than one tensor may have, in two packed fields": [with_({ tensors: [...TABLE.tensors, concatenated([integer(1, 80_000), integer(2, 7), string(8, "many"), bytes(7, new Uint8Array(40_000)), bytes(7, new Uint8Array(40_000))])] }), /^a tensor has more than 65536 integers$/],
    "more whole numbers than the tensors of a file may have": [with_({ tensors: [...TABLE.tensors, ...Array.from({ length: 17 }, (_, at) => concatenated([integer(1, 65_536), integer(2, 7), string(8, `many.${at}`), bytes(7, new Uint8Array(65_536))]))] }), /more than 1048576 int64 numbers together/],
    "float32 numbers in many fields": [with_({ tensors: [concatenated([integer(1, V), integer(1, V), integer(2, 1), string(8, "table"), repeated(100_000, bytes(4, new Uint8Array(4)))])] }), /float32 numbers in more parts, allowed are 1000/],
    "an operator with many inputs": [with_({ nodes: chain({ operator: "Concat", inputs: Array.from({ length: 100_000 }, () => "table"), output: "x" }) }), /^an operator has more inputs, allowed are 8$/],
    "an operator with many outputs": [with_({ moreOfGraph: [message(1, [repeated(9, string(2, "x"))])] }), /^an operator has more outputs, allowed are 8$/],
    "an operator with many attributes": [with_({ nodes: [{ ...LOOK, attributes: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`a${at}`, at])) }] }), /^an operator has more attributes, allowed are 8$/],
    "many inputs of the graph": [with_({ inputs: Array.from({ length: 9 }, () => value("tokens", 7, ["b", "t"])) }), /^the graph has more inputs, allowed are 8$/],
    "many outputs of the graph": [with_({ outputs: Array.from({ length: 9 }, () => value("logits", 1, ["b", "t", "v"])) }), /^the graph has more outputs, allowed are 8$/],
    "an output of many dimensions": [with_({ outputs: [value("logits", 1, Array.from({ length: 100_000 }, () => "d"))] }), /^the type of "logits" has more dimensions, allowed are 6$/],
    "many operator sets": [with_({ more: Array.from({ length: 8 }, () => message(8, [integer(2, 17)])) }), /^the model has more operator sets, allowed are 8$/],
    "a list of whole numbers that is put together to millions": [with_({ tensors: [...TABLE.tensors, wholes("i", [4096], Array.from({ length: 4096 }, () => 9))], nodes: [...lengthened("i", 3), { operator: "Gather", inputs: ["table", "x2"], output: "x" }, { ...LOOK, output: "logits" }] }), /"table" has 8 rows, row 9 is asked for/],
    "a new shape of thousands of sizes": [with_({ tensors: [...TABLE.tensors, wholes("i", [9000], Array.from({ length: 9000 }, () => 1))], nodes: chain({ operator: "Reshape", inputs: ["table", "i"], output: "x" }) }), /cannot become \[1, 1, 1, 1, 1, 1, 1, 1, … 9000 in all\]/],
    "more than 16 MiB": [new Uint8Array(16 * 1024 * 1024 + 1), /the file has 16777217 bytes, allowed are 16777216/],
    "nothing at all": [new Uint8Array(), /the file is empty/],
    "a text": [new TextEncoder().encode("{\"model\": \"no ONNX\"}"), /no ONNX file/],
    "half a file": [with_({}).subarray(0, 150), /cut off/],
  };
  test.each(Object.entries(cases))("%s", (_, [bytes, why]) => {
    expect(() => readPolicyModel(bytes, FIT)).toThrow(why);
    expect(() => readPolicyModel(bytes, FIT)).toThrow(PolicyError);
  });

  test("a position tensor of no rows and any width: no room is made for weights that are not there", () => {
    const found = readPolicyModel(with_({ tensors: [...TABLE.tensors, floats("embed.position", [0, 2 ** 24], []), floats("layers.0.attention.qkv", [0], [])] }), FIT);
    expect(found.own).toBeUndefined();
  });

  test("a policy whose context is too short", () => {
    const layout = layoutOf({ ...TINY, context: 32 });
    const bytes = exportOnnx(layout, initialWeights(layout, createRng(1)));
    expect(readPolicyModel(bytes, { vocabulary: 13, context: 32 }).own?.model.context).toBe(32);
    expect(() => readPolicyModel(bytes, { vocabulary: 13, context: 33 })).toThrow(/with 1 × 33 tokens, Gather for .*"embed.position" has 32 rows, row 32 is asked for/);
  });
});

test("500 mutated files: each is refused in words, or runs", async () => {
  const layout = layoutOf({ ...TINY, layers: 1, width: 16, context: 8, vocabulary: 4 });
  const whole = exportOnnx(layout, initialWeights(layout, createRng(1)));
  const rng = createRng(5);
  const reasons = new Map<string, number>();
  let [runs, tried] = [0, 0];
  for (let round = 0; round < 500; round += 1) {
    const bytes = mutated(whole, round % 5, rng);
    try {
      const model = readPolicyModel(bytes, { vocabulary: 4, context: 8 });
      runs += 1;
      // Whatever passes, a session takes; every sixth is tried, as making one takes time.
      if (runs % 6 === 0) {
        const logits = await (await openInNode(bytes, "wasm")).run(BigInt64Array.of(1n, 2n), 1, 2);
        expect(logits.length).toBe(2 * model.columns);
        tried += 1;
      }
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      expect(error.message).toMatch(/^[^\p{C}]{15,900}$/u);
      const kind = error.message.replaceAll(/\d+|"[^"]*"/g, "#").slice(0, 30);
      reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
    }
  }
  expect(500 - runs).toBeGreaterThan(250);
  expect(reasons.size).toBeGreaterThan(10);
  expect(tried).toBeGreaterThan(5);
});

/** 0 cuts off, 1 flips a bit, 2 writes random bytes, 3 puts bytes in, 4 takes bytes out; half of the time where the operators stand, which come first. */
function mutated(whole: Uint8Array, kind: number, rng: ReturnType<typeof createRng>): Uint8Array<ArrayBuffer> {
  const at = drawIndex(rng, rng.next() < 0.5 ? whole.length : 4000);
  const few = Uint8Array.from({ length: 1 + drawIndex(rng, 6) }, () => drawIndex(rng, 256));
  if (kind === 0) return Uint8Array.from(whole.subarray(0, at));
  if (kind === 3) return concatenated([whole.subarray(0, at), few, whole.subarray(at)]);
  if (kind === 4) return concatenated([whole.subarray(0, at), whole.subarray(at + few.length)]);
  const changed = Uint8Array.from(whole);
  if (kind === 1) changed[at] = (changed[at] ?? 0) ^ (1 << drawIndex(rng, 8));
  else changed.set(few.subarray(0, changed.length - at), at);
  return changed;
}
