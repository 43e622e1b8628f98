import { PolicyError } from "#core/errors.ts";
import { TYPE, type ElementType, type OnnxNode } from "./read.ts";

/** What is known of a value before anything runs. */
export interface Known {
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** Where its whole numbers are known. */
  readonly values?: readonly number[] | undefined;
  /** Where they are not: none is negative, and all are below this. */
  readonly below?: number | undefined;
}

/** What comes out, and the multiplications that took. */
export interface Outcome extends Known {
  readonly multiplications?: number;
}

/** An operator as far as sizes go. @throws PolicyError where it cannot be applied */
export interface Operator {
  readonly inputs: readonly [least: number, most: number];
  readonly attributes: readonly string[];
  infer(inputs: readonly Known[], node: OnnxNode): Outcome;
}

export const elements = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);
/** Of lists that are no shapes as far as they are of use in a sentence. */
export const shapeText = (shape: readonly (number | string)[]): string => `[${shape.slice(0, 8).join(", ")}${shape.length > 8 ? `, … ${shape.length} in all` : ""}]`;

const refuse = (node: OnnxNode, why: string): PolicyError => new PolicyError(`${node.operator} for ${JSON.stringify(node.outputs[0] ?? "")}: ${why}`);

function input(inputs: readonly Known[], place: number, node: OnnxNode): Known {
  const found = inputs[place];
  if (found === undefined) throw refuse(node, `input ${place + 1} is missing`);
  return found;
}

/** Sizes, places and axes have to be known beforehand: what depends on the tokens could be of any size. */
function wholes(inputs: readonly Known[], place: number, node: OnnxNode): readonly number[] {
  const { values, type } = input(inputs, place, node);
  if (values === undefined || type !== TYPE.INT64) throw refuse(node, `input ${place + 1} must be int64 and must not depend on the tokens`);
  return values;
}

function axisOf(axis: number, rank: number, node: OnnxNode): number {
  const at = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(at) || at < 0 || at >= rank) throw refuse(node, `axis ${axis} is not one of ${rank}`);
  return at;
}

const single = (node: OnnxNode, name: string, otherwise: number | undefined): number => {
  const value = node.attributes.get(name) ?? otherwise;
  if (typeof value !== "number") throw refuse(node, `the attribute ${name} must be an integer`);
  return value;
};

const list = (node: OnnxNode, name: string): readonly number[] => {
  const value = node.attributes.get(name);
  if (value === undefined || typeof value === "number") throw refuse(node, `the attribute ${name} must be a list of integers`);
  return value;
};

function float(known: Known, node: OnnxNode): Known {
  if (known.type !== TYPE.FLOAT) throw refuse(node, "only float32 is allowed here");
  return known;
}

function broadcast(shapes: readonly (readonly number[])[], node: OnnxNode): readonly number[] {
  const rank = Math.max(...shapes.map(({ length }) => length));
  return Array.from({ length: rank }, (_, place) => {
    const sizes = shapes.map((shape) => shape[place - rank + shape.length] ?? 1);
    const size = sizes.find((each) => each !== 1) ?? 1;
    if (sizes.some((each) => each !== 1 && each !== size)) throw refuse(node, `the shapes ${shapes.map(shapeText).join(" and ")} do not fit together`);
    return size;
  });
}

/** Known numbers are followed through lists and single numbers; larger tensors have none. */
const MOST_KNOWN = 4096;

function limitOf({ values, below }: Known): number | undefined {
  if (values === undefined) return below;
  let most = 0;
  for (const value of values) {
    if (value < 0) return undefined;
    if (value > most) most = value;
  }
  return most + 1;
}

/** What is kept of a result: its numbers where they are few, and else their limit. */
const kept = (values: (() => readonly number[]) | undefined, count: number, below: number | undefined): Partial<Known> =>
  values !== undefined && count <= MOST_KNOWN ? { values: values() } : below === undefined ? {} : { below };

/** @param apply for whole numbers, growing in both; without it only float32 is allowed */
function arithmetic(apply?: (a: number, b: number) => number): Operator {
  return {
    inputs: [2, 2],
    attributes: [],
    infer(inputs, node) {
      const [a, b] = [input(inputs, 0, node), input(inputs, 1, node)];
      if (a.type !== b.type || a.type === TYPE.BOOL) throw refuse(node, "both inputs must be float32 or both int64");
      const shape = broadcast([a.shape, b.shape], node);
      if (a.type === TYPE.FLOAT) return { type: a.type, shape };
      if (apply === undefined) throw refuse(node, "only float32 is allowed here");
      return { type: a.type, shape, ...wholeArithmetic(apply, a, b, shape) };
    },
  };
}

/** Numbers of lists and single numbers, which positions and sizes are made of; of anything larger a limit. */
function wholeArithmetic(apply: (a: number, b: number) => number, a: Known, b: Known, shape: readonly number[]): Partial<Known> {
  const { values: left } = a;
  const { values: right } = b;
  if (left !== undefined && right !== undefined && shape.length <= 1 && elements(shape) <= MOST_KNOWN) {
    const values = Array.from({ length: elements(shape) }, (_, index) => apply(left[left.length === 1 ? 0 : index] ?? 0, right[right.length === 1 ? 0 : index] ?? 0));
    return values.every(Number.isSafeInteger) ? { values } : {};
  }
  const [first, second] = [limitOf(a), limitOf(b)];
  if (first === undefined || second === undefined) return {};
  const most = apply(first - 1, second - 1);
  return Number.isSafeInteger(most) ? { below: most + 1 } : {};
}

const same: Operator = { inputs: [1, 1], attributes: [], infer: (inputs, node) => ({ type: TYPE.FLOAT, shape: float(input(inputs, 0, node), node).shape }) };

const keeping = ({ values, below }: Known): Partial<Known> => ({ ...(values ? { values } : {}), ...(below === undefined ? {} : { below }) });

/** The operators that a policy may be made of: those that `exportOnnx` writes (onnx/docs/Operators.md, opset 17). */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  Add: arithmetic((a, b) => a + b),
  Mul: arithmetic((a, b) => a * b),
  Div: arithmetic(),
  Less: {
    inputs: [2, 2],
    attributes: [],
    infer(inputs, node) {
      const [a, b] = [input(inputs, 0, node), input(inputs, 1, node)];
      if (a.type !== b.type || a.type === TYPE.BOOL) throw refuse(node, "both inputs must be float32 or both int64");
      return { type: TYPE.BOOL, shape: broadcast([a.shape, b.shape], node) };
    },
  },
  Where: {
    inputs: [3, 3],
    attributes: [],
    infer(inputs, node) {
      const [condition, a, b] = [input(inputs, 0, node), input(inputs, 1, node), input(inputs, 2, node)];
      if (condition.type !== TYPE.BOOL || a.type !== TYPE.FLOAT || b.type !== TYPE.FLOAT) throw refuse(node, "the condition must be boolean, both choices float32");
      return { type: TYPE.FLOAT, shape: broadcast([condition.shape, a.shape, b.shape], node) };
    },
  },
  Relu: same,
  Sqrt: same,
  Softmax: {
    ...same,
    attributes: ["axis"],
    infer(inputs, node) {
      const { shape } = float(input(inputs, 0, node), node);
      axisOf(single(node, "axis", -1), shape.length, node);
      return { type: TYPE.FLOAT, shape };
    },
  },
  ReduceMean: {
    inputs: [1, 1],
    attributes: ["axes", "keepdims"],
    infer(inputs, node) {
      const { shape } = float(input(inputs, 0, node), node);
      const axes = list(node, "axes").map((axis) => axisOf(axis, shape.length, node));
      const keeps = single(node, "keepdims", 1) === 1;
      return { type: TYPE.FLOAT, shape: shape.flatMap((size, place) => (!axes.includes(place) ? [size] : keeps ? [1] : [])) };
    },
  },
  MatMul: {
    inputs: [2, 2],
    attributes: [],
    infer(inputs, node) {
      const [a, b] = [float(input(inputs, 0, node), node).shape, float(input(inputs, 1, node), node).shape];
      const [rows, inner, rowsOfB, columns] = [a.at(-2), a.at(-1), b.at(-2), b.at(-1)];
      if (rows === undefined || inner === undefined || columns === undefined || inner !== rowsOfB) throw refuse(node, `matrices ${shapeText(a)} and ${shapeText(b)} cannot be multiplied`);
      const shape = [...broadcast([a.slice(0, -2), b.slice(0, -2)], node), rows, columns];
      return { type: TYPE.FLOAT, shape, multiplications: elements(shape) * inner };
    },
  },
  Transpose: {
    inputs: [1, 1],
    attributes: ["perm"],
    infer(inputs, node) {
      const known = input(inputs, 0, node);
      const { type, shape } = known;
      const below = limitOf(known);
      const order = list(node, "perm");
      if (order.length !== shape.length || new Set(order).size !== order.length) throw refuse(node, `perm ${shapeText(order)} does not fit the shape ${shapeText(shape)}`);
      return { type, shape: order.map((place) => shape[axisOf(place, shape.length, node)] ?? 1), ...(below === undefined ? {} : { below }) };
    },
  },
  Reshape: {
    inputs: [2, 2],
    attributes: [],
    infer(inputs, node) {
      const known = input(inputs, 0, node);
      const asked = wholes(inputs, 1, node).map((size, place) => (size === 0 ? (known.shape[place] ?? 0) : size));
      const open = asked.filter((size) => size === -1).length;
      const rest = elements(asked.filter((size) => size !== -1));
      const shape = asked.map((size) => (size === -1 ? elements(known.shape) / rest : size));
      if (open > 1 || asked.some((size) => size < -1) || shape.length > 6 || elements(shape) !== elements(known.shape) || !shape.every(Number.isInteger)) throw refuse(node, `the shape ${shapeText(known.shape)} cannot become ${shapeText(asked)}`);
      return { type: known.type, shape, ...keeping(known) };
    },
  },
  Squeeze: {
    inputs: [2, 2],
    attributes: [],
    infer(inputs, node) {
      const known = input(inputs, 0, node);
      const axes = wholes(inputs, 1, node).map((axis) => axisOf(axis, known.shape.length, node));
      if (axes.some((axis) => known.shape[axis] !== 1)) throw refuse(node, `only sizes of 1 can be taken out of ${shapeText(known.shape)}`);
      return { type: known.type, shape: known.shape.filter((_, place) => !axes.includes(place)), ...keeping(known) };
    },
  },
  Unsqueeze: {
    inputs: [2, 2],
    attributes: [],
    infer(inputs, node) {
      const known = input(inputs, 0, node);
      const asked = wholes(inputs, 1, node);
      const rank = known.shape.length + asked.length;
      const axes = asked.map((axis) => axisOf(axis, rank, node));
      if (rank > 6 || new Set(axes).size !== axes.length) throw refuse(node, `the axes ${shapeText(asked)} do not fit`);
      const rest = [...known.shape];
      return { type: known.type, shape: Array.from({ length: rank }, (_, place) => (axes.includes(place) ? 1 : (rest.shift() ?? 1))), ...keeping(known) };
    },
  },
  Shape: {
    inputs: [1, 1],
    attributes: [],
    infer(inputs, node) {
      const { shape } = input(inputs, 0, node);
      return { type: TYPE.INT64, shape: [shape.length], values: shape };
    },
  },
  Range: {
    inputs: [3, 3],
    attributes: [],
    infer(inputs, node) {
      const [from = 0, to = 0, by = 0] = [0, 1, 2].map((place) => {
        const value = wholes(inputs, place, node);
        if (input(inputs, place, node).shape.length > 0) throw refuse(node, "its inputs must be single numbers");
        return value[0] ?? 0;
      });
      const count = by === 0 ? Number.NaN : Math.max(0, Math.ceil((to - from) / by));
      if (!(count <= MOST_KNOWN)) throw refuse(node, `from ${from} to ${to} by ${by} is too long, allowed are ${MOST_KNOWN} numbers`);
      return { type: TYPE.INT64, shape: [count], values: Array.from({ length: count }, (_, index) => from + index * by) };
    },
  },
  Slice: {
    inputs: [3, 5],
    attributes: [],
    infer(inputs, node) {
      const known = input(inputs, 0, node);
      const [starts, ends] = [wholes(inputs, 1, node), wholes(inputs, 2, node)];
      const axes = inputs[3] === undefined ? starts.map((_, place) => place) : wholes(inputs, 3, node);
      const steps = inputs[4] === undefined ? starts.map(() => 1) : wholes(inputs, 4, node);
      if (ends.length !== starts.length || axes.length !== starts.length || steps.some((step) => step !== 1) || steps.length !== starts.length) throw refuse(node, "starts, ends and axes must be as many, and steps 1");
      const shape = [...known.shape];
      let [first, last] = [0, known.values?.length ?? 0];
      for (const [place, axis] of axes.entries()) {
        const at = axisOf(axis, shape.length, node);
        const size = known.shape[at] ?? 0;
        const within = (index: number): number => Math.min(size, Math.max(0, index < 0 ? index + size : index));
        [first, last] = [within(starts[place] ?? 0), within(ends[place] ?? 0)];
        shape[at] = Math.max(0, last - first);
      }
      const { values } = known;
      return { type: known.type, shape, ...kept(known.shape.length === 1 && values !== undefined ? () => values.slice(first, last) : undefined, elements(shape), limitOf(known)) };
    },
  },
  Concat: {
    inputs: [1, 8],
    attributes: ["axis"],
    infer(inputs, node) {
      const first = input(inputs, 0, node);
      const at = axisOf(single(node, "axis", undefined), first.shape.length, node);
      const fits = inputs.every(({ type, shape }) => type === first.type && shape.length === first.shape.length && shape.every((size, place) => place === at || size === first.shape[place]));
      if (!fits) throw refuse(node, `the shapes ${inputs.map(({ shape }) => shapeText(shape)).join(", ")} cannot be put together`);
      const shape = first.shape.map((size, place) => (place === at ? inputs.reduce((sum, each) => sum + (each.shape[at] ?? 0), 0) : size));
      const limits = inputs.map(limitOf);
      const isKnown = shape.length === 1 && inputs.every((each) => each.values !== undefined);
      const below = limits.every((limit) => limit !== undefined) ? Math.max(...limits) : undefined;
      return { type: first.type, shape, ...kept(isKnown ? () => inputs.flatMap((each) => each.values ?? []) : undefined, elements(shape), below) };
    },
  },
  Gather: {
    inputs: [2, 2],
    attributes: ["axis"],
    infer(inputs, node) {
      const [table, ids] = [input(inputs, 0, node), input(inputs, 1, node)];
      if (ids.type !== TYPE.INT64) throw refuse(node, "places must be int64");
      const at = axisOf(single(node, "axis", 0), table.shape.length, node);
      const [rows, limit] = [table.shape[at] ?? 0, limitOf(ids)];
      const name = JSON.stringify(node.inputs[0] ?? "");
      if (limit === undefined) throw refuse(node, `it cannot be told beforehand that every place is one of the ${rows} of ${name}`);
      if (limit > rows && elements(ids.shape) > 0) throw refuse(node, `${name} has ${rows} rows, row ${limit - 1} is asked for`);
      const shape = [...table.shape.slice(0, at), ...ids.shape, ...table.shape.slice(at + 1)];
      if (shape.length > 6) throw refuse(node, `the result would have ${shape.length} dimensions, allowed are 6`);
      const { values } = table;
      const { values: places } = ids;
      const isKnown = values !== undefined && places !== undefined && table.shape.length === 1;
      return { type: table.type, shape, ...kept(isKnown ? () => places.map((place) => values[place] ?? 0) : undefined, elements(shape), limitOf(table)) };
    },
  },
};
