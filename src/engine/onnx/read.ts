import { PolicyError } from "#core/errors.ts";
import { addIntegers, bytesOf, fieldsOf, integerOf, textOf, type WireField } from "./wire-reader.ts";

/** Element types of TensorProto. */
export const TYPE = { FLOAT: 1, INT64: 7, BOOL: 9 } as const;
export type ElementType = (typeof TYPE)[keyof typeof TYPE];

/** Numbers are in the order of the elements, row-major. */
export interface OnnxTensor {
  readonly name: string;
  readonly type: typeof TYPE.FLOAT | typeof TYPE.INT64;
  readonly shape: readonly number[];
  readonly values: Float32Array<ArrayBuffer> | readonly number[];
}

export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, number | readonly number[]>;
}

/** An input or output; a size that is a text is free. */
export interface OnnxValue {
  readonly name: string;
  readonly type: number;
  readonly shape: readonly (number | string)[];
}

export interface OnnxModel {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: ReadonlyMap<string, OnnxTensor>;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_NODES = 2000;
const MOST_TENSORS = 2000;
const MOST_DIMENSIONS = 6;
/** Whole numbers are positions, sizes and ids, never weights. Of a tensor, and of all tensors. */
const MOST_WHOLES = 65_536;
const ALL_WHOLES = 16 * MOST_WHOLES;
/** Fields that one tensor's float32 numbers stand in; writers pack them into one. */
const MOST_PARTS = 1000;
/** Inputs, outputs and attributes of an operator; inputs and outputs of the graph; operator sets. */
const MOST_ENDS = 8;
const OPSET = 17;
const IR_VERSIONS = { least: 7, most: 10 };
const INT = 2;
const INTS = 7;

const unexpected = ({ field }: WireField, what: string): PolicyError => new PolicyError(`${what} has field ${field}, which no policy needs: see docs/onnx.md for what a file may contain`);

/** Counts while a file is read, so that nothing is piled up that is refused in the end. */
function add<T>(to: T[], value: T, most: number, what: string): void {
  if (to.length === most) throw new PolicyError(`${what}, allowed are ${most}`);
  to.push(value);
}

/**
 * Reads the parts of an ONNX model that a policy is made of. Everything else there is in ONNX is refused: other opsets, operators of other
 * domains, graphs within graphs, functions, weights outside the file, other number types. Nothing is run and no size is believed.
 * @throws PolicyError saying what was found and what is allowed
 */
export function readOnnx(bytes: Uint8Array): OnnxModel {
  if (bytes.length > MOST_BYTES) throw new PolicyError(`the file has ${bytes.length} bytes, allowed are ${MOST_BYTES}`);
  if (bytes.length === 0) throw new PolicyError("the file is empty");
  let graph: OnnxModel | undefined;
  let version: number | undefined;
  const opsets: { readonly domain: string; readonly version: number }[] = [];
  for (const field of fieldsOf(bytes, "the model")) {
    switch (field.field) {
      case 1:
        version = integerOf(field, "the model's version");
        break;
      case 2: case 3: case 4: case 6: case 14:
        bytesOf(field, "the model");
        break;
      case 5:
        integerOf(field, "the model");
        break;
      case 7:
        if (graph !== undefined) throw new PolicyError("the model has two graphs");
        graph = readGraph(bytesOf(field, "the model"));
        break;
      case 8:
        add(opsets, readOpset(bytesOf(field, "the model")), MOST_ENDS, "the model has more operator sets");
        break;
      default:
        throw unexpected(field, "the model");
    }
  }
  if (graph === undefined) throw new PolicyError("it is no ONNX file, or one that is cut off: there is no graph in it");
  if (version === undefined || version < IR_VERSIONS.least || version > IR_VERSIONS.most)
    throw new PolicyError(`the file's format (IR) is ${version ?? "not given"}, allowed are ${IR_VERSIONS.least} to ${IR_VERSIONS.most}`);
  const [opset, ...others] = opsets;
  if (opset === undefined || others.length > 0 || opset.version !== OPSET || !["", "ai.onnx"].includes(opset.domain)) {
    const found = opsets.map((each) => `${each.domain === "" ? "ai.onnx" : each.domain} ${each.version}`).join(", ");
    throw new PolicyError(`the operator set is ${found === "" ? "not given" : found}, allowed is ai.onnx ${OPSET}`);
  }
  return graph;
}

function readOpset(bytes: Uint8Array): { readonly domain: string; readonly version: number } {
  let [domain, version] = ["", 0];
  for (const field of fieldsOf(bytes, "the operator set")) {
    if (field.field === 1) domain = textOf(field, "the operator set");
    else if (field.field === 2) version = integerOf(field, "the operator set");
    else throw unexpected(field, "the operator set");
  }
  return { domain, version };
}

function readGraph(bytes: Uint8Array): OnnxModel {
  const nodes: OnnxNode[] = [];
  const initializers = new Map<string, OnnxTensor>();
  const [inputs, outputs]: [OnnxValue[], OnnxValue[]] = [[], []];
  let wholes = 0;
  for (const field of fieldsOf(bytes, "the graph")) {
    const content = bytesOf(field, "the graph");
    switch (field.field) {
      case 1:
        if (nodes.length === MOST_NODES) throw new PolicyError(`the graph has more than ${MOST_NODES} operators`);
        nodes.push(readNode(content));
        break;
      case 5: {
        const tensor = readTensor(content);
        if (initializers.has(tensor.name)) throw new PolicyError(`there are two tensors ${JSON.stringify(tensor.name)}`);
        if (initializers.size === MOST_TENSORS) throw new PolicyError(`the graph has more than ${MOST_TENSORS} tensors`);
        if (tensor.type === TYPE.INT64) wholes += tensor.values.length;
        if (wholes > ALL_WHOLES) throw new PolicyError(`the tensors have more than ${ALL_WHOLES} int64 numbers together`);
        initializers.set(tensor.name, tensor);
        break;
      }
      case 11:
        add(inputs, readValue(content), MOST_ENDS, "the graph has more inputs");
        break;
      case 12:
        add(outputs, readValue(content), MOST_ENDS, "the graph has more outputs");
        break;
      // The graph's name, remarks, and shapes that a writer noted for values within: they are worked out here.
      case 2: case 10: case 13: case 16:
        break;
      default:
        throw unexpected(field, "the graph");
    }
  }
  return { nodes, initializers, inputs, outputs };
}

function readNode(bytes: Uint8Array): OnnxNode {
  const [inputs, outputs]: [string[], string[]] = [[], []];
  const attributes = new Map<string, number | readonly number[]>();
  let operator = "";
  for (const field of fieldsOf(bytes, "an operator")) {
    switch (field.field) {
      case 1:
        add(inputs, textOf(field, "an operator"), MOST_ENDS, "an operator has more inputs");
        break;
      case 2:
        add(outputs, textOf(field, "an operator"), MOST_ENDS, "an operator has more outputs");
        break;
      case 4:
        operator = textOf(field, "an operator");
        break;
      case 5: {
        const { name, value } = readAttribute(bytesOf(field, "an operator"));
        if (attributes.has(name)) throw new PolicyError(`an operator has the attribute ${JSON.stringify(name)} twice`);
        if (attributes.size === MOST_ENDS) throw new PolicyError(`an operator has more attributes, allowed are ${MOST_ENDS}`);
        attributes.set(name, value);
        break;
      }
      case 7: {
        const domain = textOf(field, "an operator");
        if (domain !== "" && domain !== "ai.onnx") throw new PolicyError(`an operator is of the domain ${JSON.stringify(domain)}, allowed is ai.onnx`);
        break;
      }
      case 3: case 6: case 9:
        bytesOf(field, "an operator");
        break;
      default:
        throw unexpected(field, "an operator");
    }
  }
  return { operator, inputs, outputs, attributes };
}

function readAttribute(bytes: Uint8Array): { readonly name: string; readonly value: number | readonly number[] } {
  let [name, type, single]: [string, number, number | undefined] = ["", 0, undefined];
  const many: number[] = [];
  for (const field of fieldsOf(bytes, "an attribute")) {
    if (field.field === 1) name = textOf(field, "an attribute");
    else if (field.field === 3) single = integerOf(field, "an attribute");
    else if (field.field === 8) addIntegers(many, field, `the attribute ${JSON.stringify(name)}`, MOST_DIMENSIONS);
    else if (field.field === 20) type = integerOf(field, "an attribute");
    else if (field.field !== 13) throw new PolicyError(`the attribute ${JSON.stringify(name)} is neither an integer nor a list of integers`);
  }
  if (type === INT && single !== undefined && many.length === 0) return { name, value: single };
  if (type === INTS && single === undefined) return { name, value: many };
  throw new PolicyError(`the attribute ${JSON.stringify(name)} is neither an integer nor a list of integers`);
}

/** As they stand in a tensor's fields, of which it may have one kind. */
interface Numbers {
  raw?: Uint8Array;
  floats?: Uint8Array[];
  wholes?: number[];
}

function readTensor(bytes: Uint8Array): OnnxTensor {
  const shape: number[] = [];
  let [name, type]: [string, number] = ["", 0];
  const numbers: Numbers = {};
  for (const field of fieldsOf(bytes, "a tensor")) {
    switch (field.field) {
      case 1:
        addIntegers(shape, field, "a tensor's shape", MOST_DIMENSIONS);
        break;
      case 2:
        type = integerOf(field, "a tensor");
        break;
      case 4:
        if (field.kind === "varint") throw new PolicyError("a tensor has float32 numbers that cannot be read");
        add((numbers.floats ??= []), field.value, MOST_PARTS, "a tensor has its float32 numbers in more parts");
        break;
      case 7:
        addIntegers((numbers.wholes ??= []), field, "a tensor", MOST_WHOLES);
        break;
      case 8:
        name = textOf(field, "a tensor");
        break;
      case 9:
        if (numbers.raw !== undefined) throw new PolicyError("a tensor has its numbers twice");
        numbers.raw = bytesOf(field, "a tensor");
        break;
      case 12:
        bytesOf(field, "a tensor");
        break;
      case 14:
        if (integerOf(field, "a tensor") !== 0) throw new PolicyError("a tensor's numbers lie in another file, allowed is one file with everything in it");
        break;
      case 13:
        throw new PolicyError("a tensor's numbers lie in another file, allowed is one file with everything in it");
      default:
        throw unexpected(field, "a tensor");
    }
  }
  const what = `the tensor ${JSON.stringify(name)}`;
  if (type !== TYPE.FLOAT && type !== TYPE.INT64) throw new PolicyError(`${what} has element type ${type}, allowed are 1 (float32) and 7 (int64)`);
  if (shape.some((size) => size < 0 || size > MOST_BYTES)) throw new PolicyError(`${what} has the shape [${shape.join(", ")}]`);
  const size = shape.reduce((product, extent) => product * extent, 1);
  const values = type === TYPE.FLOAT ? floatsOf(numbers, what) : wholesOf(numbers, what);
  if (values.length !== size) throw new PolicyError(`${what} has ${values.length} numbers, its shape [${shape.join(", ")}] has room for ${size}`);
  return { name, type, shape, values };
}

function floatsOf({ raw, floats, wholes }: Numbers, what: string): Float32Array<ArrayBuffer> {
  const parts = raw === undefined ? (floats ?? []) : [raw];
  if (wholes !== undefined || (raw !== undefined && floats !== undefined) || parts.some(({ length }) => length % 4 !== 0)) throw new PolicyError(`${what} has float32 numbers that cannot be read`);
  const values = new Float32Array(parts.reduce((sum, { length }) => sum + length / 4, 0));
  let at = 0;
  for (const part of parts) {
    const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
    for (let index = 0; index < part.length / 4; index += 1, at += 1) {
      const value = view.getFloat32(index * 4, true);
      // Infinity may stand in a mask; that logits are finite is looked at as they come.
      if (Number.isNaN(value)) throw new PolicyError(`${what} holds NaN at place ${at}`);
      values[at] = value;
    }
  }
  return values;
}

function wholesOf({ raw, floats, wholes }: Numbers, what: string): readonly number[] {
  if (floats !== undefined || (raw !== undefined && (wholes !== undefined || raw.length % 8 !== 0))) throw new PolicyError(`${what} has int64 numbers that cannot be read`);
  if (raw === undefined) return wholes ?? [];
  if (raw.length > MOST_WHOLES * 8) throw new PolicyError(`${what} has more than ${MOST_WHOLES} int64 numbers`);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return Array.from({ length: raw.length / 8 }, (_, index) => {
    const value = Number(view.getBigInt64(index * 8, true));
    if (!Number.isSafeInteger(value)) throw new PolicyError(`${what} holds ${value}, which is out of range`);
    return value;
  });
}

function readValue(bytes: Uint8Array): OnnxValue {
  let name = "";
  let tensor: Uint8Array | undefined;
  for (const field of fieldsOf(bytes, "an input or output")) {
    if (field.field === 1) name = textOf(field, "an input or output");
    else if (field.field === 2) tensor = only(bytesOf(field, "an input or output"), 1, `the type of ${JSON.stringify(name)}`);
    else if (field.field !== 3 && field.field !== 4) throw unexpected(field, "an input or output");
  }
  const what = `the type of ${JSON.stringify(name)}`;
  const shape: (number | string)[] = [];
  let type = 0;
  for (const field of fieldsOf(tensor ?? new Uint8Array(), what)) {
    if (field.field === 1) type = integerOf(field, what);
    else if (field.field === 2) for (const dimension of fieldsOf(bytesOf(field, what), what)) add(shape, readDimension(bytesOf(dimension, what), what), MOST_DIMENSIONS, `${what} has more dimensions`);
    else throw unexpected(field, what);
  }
  return { name, type, shape };
}

/** The one message within; remarks beside it are passed over. */
function only(bytes: Uint8Array, wanted: number, what: string): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  for (const field of fieldsOf(bytes, what)) {
    if (field.field === wanted) found = bytesOf(field, what);
    else if (field.field !== 6) throw new PolicyError(`${what} is not a tensor`);
  }
  return found;
}

function readDimension(bytes: Uint8Array, what: string): number | string {
  for (const field of fieldsOf(bytes, what)) {
    if (field.field === 1) return integerOf(field, what);
    if (field.field === 2) return textOf(field, what);
  }
  return "";
}
