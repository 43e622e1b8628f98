import type { ModelLayout } from "../model.ts";
import { HEAD_WIDTH } from "../kernels/rows.ts";
import { bytes, concatenated, integer, message, string, type Field } from "./wire.ts";

const OPSET = 17;
/** onnx.proto, version 8 of the format, the one that came with opset 17. */
const IR_VERSION = 8;
const FLOAT = 1;
const INT64 = 7;
const EPSILON = 1e-5;

type Attribute = number | readonly number[];

/** TensorProto: dims 1, data_type 2, name 8, raw_data 9 (little-endian). */
function tensor(name: string, shape: readonly number[], values: Float32Array | BigInt64Array): Field {
  const raw = new Uint8Array(values.byteLength);
  const view = new DataView(raw.buffer);
  if (values instanceof Float32Array) for (const [index, value] of values.entries()) view.setFloat32(index * 4, value, true);
  else for (const [index, value] of values.entries()) view.setBigInt64(index * 8, value, true);
  return concatenated([...shape.map((size) => integer(1, size)), integer(2, values instanceof Float32Array ? FLOAT : INT64), string(8, name), bytes(9, raw)]);
}

/** AttributeProto: name 1, i 3, ints 8, type 20 (INT 2, INTS 7). */
const attribute = (name: string, value: Attribute): Field =>
  typeof value === "number" ? message(5, [string(1, name), integer(3, value), integer(20, 2)]) : message(5, [string(1, name), ...value.map((each) => integer(8, each)), integer(20, 7)]);

/** ValueInfoProto: name 1, type 2 { tensor_type 1 { elem_type 1, shape 2 { dim 1 { dim_value 1 | dim_param 2 } } } }. */
const valueInfo = (name: string, type: number, shape: readonly (string | number)[]): readonly Field[] => [
  string(1, name),
  message(2, [message(1, [integer(1, type), message(2, shape.map((size) => message(1, [typeof size === "number" ? integer(1, size) : string(2, size)])))])]),
];

/** A graph that grows by one operator a call. */
class Graph {
  readonly #nodes: Field[] = [];
  readonly #initializers: Field[] = [];
  #made = 0;

  /** NodeProto: input 1, output 2, name 3, op_type 4, attribute 5. @returns the name of its output */
  add(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>> = {}, output?: string): string {
    const name = output ?? `${operator.toLowerCase()}.${(this.#made += 1)}`;
    this.#nodes.push(message(1, [
      ...inputs.map((input) => string(1, input)), string(2, name), string(3, name), string(4, operator),
      ...Object.entries(attributes).map(([key, value]) => attribute(key, value)),
    ]));
    return name;
  }

  constant(name: string, shape: readonly number[], values: Float32Array | BigInt64Array): string {
    this.#initializers.push(message(5, [tensor(name, shape, values)]));
    return name;
  }

  integers(name: string, values: readonly number[]): string {
    return this.constant(name, [values.length], BigInt64Array.from(values, BigInt));
  }

  /** GraphProto: node 1, name 2, initializer 5, input 11, output 12. */
  finish(name: string, inputs: readonly (readonly Field[])[], outputs: readonly (readonly Field[])[]): Field {
    return concatenated([...this.#nodes, string(2, name), ...this.#initializers, ...inputs.map((parts) => message(11, parts)), ...outputs.map((parts) => message(12, parts))]);
  }
}

/**
 * The policy as an ONNX model (opset 17, basic operators only): input `tokens` int64 [batch, time], output `logits` float32 [batch, time,
 * head columns], where columns past the vocabulary mean nothing, and with a value head `values` [batch, time, 4], the first of which
 * counts. Legality is the caller's to mask.
 * @param weights in the order of the model's tensor list
 */
export function exportOnnx(layout: ModelLayout, weights: Float32Array): Field {
  const { tensors, headColumns, config: { layers, width, context, vocabulary, valueHead } } = layout;
  const graph = new Graph();
  let start = 0;
  for (const { name, shape, size } of tensors) {
    graph.constant(name, shape, weights.slice(start, start + size));
    start += size;
  }
  const [zero, one, two, last] = [graph.integers("zero", [0]), graph.integers("one", [1]), graph.integers("two", [2]), graph.integers("last", [-1])];
  const scalar = (name: string, value: number): string => graph.constant(name, [], Float32Array.of(value));
  const epsilon = scalar("epsilon", EPSILON);
  const scale = scalar("scale", 1 / Math.sqrt(HEAD_WIDTH));
  const lowest = scalar("lowest", -1e30);

  // The token before each; before the first stands token 0, as in training.
  const shape = graph.add("Shape", ["tokens"]);
  const time = graph.add("Slice", [shape, one, two, zero]);
  const positions = graph.add("Range", [graph.constant("int.zero", [], BigInt64Array.of(0n)), graph.add("Squeeze", [time, zero]), graph.constant("int.one", [], BigInt64Array.of(1n))]);
  const earlier = graph.add("Slice", ["tokens", zero, last, one]);
  const first = graph.add("Mul", [graph.add("Slice", ["tokens", zero, one, one]), graph.constant("int.nothing", [], BigInt64Array.of(0n))]);
  const previous = graph.add("Concat", [first, earlier], { axis: 1 });
  const look = (table: string, ids: string): string => graph.add("Gather", [table, ids], { axis: 0 });
  let x = graph.add("Add", [graph.add("Add", [look("embed.token", "tokens"), look("embed.position", positions)]), look("embed.previous", previous)]);

  const later = graph.add("Less", [graph.add("Unsqueeze", [positions, one]), graph.add("Unsqueeze", [positions, zero])]);
  const heads = width / HEAD_WIDTH;
  const [split, merged] = [graph.integers("split", [0, 0, 3 * heads, HEAD_WIDTH]), graph.integers("merged", [0, 0, width])];
  const norm = (input: string, gain: string): string => {
    const squares = graph.add("ReduceMean", [graph.add("Mul", [input, input])], { axes: [-1], keepdims: 1 });
    return graph.add("Mul", [graph.add("Div", [input, graph.add("Sqrt", [graph.add("Add", [squares, epsilon])])]), gain]);
  };
  for (let layer = 0; layer < layers; layer += 1) {
    const w = (part: string): string => `layers.${layer}.${part}`;
    const qkv = graph.add("Reshape", [graph.add("MatMul", [norm(x, w("attention.norm")), w("attention.qkv")]), split]);
    const turned = graph.add("Transpose", [qkv], { perm: [0, 2, 1, 3] });
    const part = (index: number): string => graph.add("Slice", [turned, graph.integers(`${w("from")}.${index}`, [index * heads]), graph.integers(`${w("to")}.${index}`, [(index + 1) * heads]), one]);
    const [q, k, v] = [part(0), part(1), part(2)];
    const scores = graph.add("Mul", [graph.add("MatMul", [q, graph.add("Transpose", [k], { perm: [0, 1, 3, 2] })]), scale]);
    const shares = graph.add("Softmax", [graph.add("Where", [later, lowest, scores])], { axis: -1 });
    const attended = graph.add("Reshape", [graph.add("Transpose", [graph.add("MatMul", [shares, v])], { perm: [0, 2, 1, 3] }), merged]);
    x = graph.add("Add", [x, graph.add("MatMul", [attended, w("attention.out")])]);
    const hidden = graph.add("Relu", [graph.add("MatMul", [norm(x, w("mlp.norm")), w("mlp.up")])]);
    x = graph.add("Add", [x, graph.add("MatMul", [hidden, w("mlp.down")])]);
  }
  const normed = norm(x, "norm");
  graph.add("MatMul", [normed, "head"], {}, "logits");
  if (valueHead) graph.add("MatMul", [normed, "value"], {}, "values");
  const made = graph.finish(
    `turnwise policy: ${layers} layers, width ${width}, context ${context}, vocabulary ${vocabulary}`,
    [valueInfo("tokens", INT64, ["batch", "time"])],
    [valueInfo("logits", FLOAT, ["batch", "time", headColumns]), ...(valueHead ? [valueInfo("values", FLOAT, ["batch", "time", 4])] : [])],
  );
  // ModelProto: ir_version 1, producer_name 2, graph 7, opset_import 8 { domain 1, version 2 }.
  return concatenated([integer(1, IR_VERSION), string(2, "turnwise"), bytes(7, made), message(8, [string(1, ""), integer(2, OPSET)])]);
}
