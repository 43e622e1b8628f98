import type { Rng } from "#core/chance.ts";
import { ConfigError, PolicyError } from "#core/errors.ts";
import { aligned } from "./executor.ts";
import { HEAD_WIDTH } from "./kernels/rows.ts";

export interface ModelConfig {
  readonly layers: number;
  /** D, a multiple of HEAD_WIDTH. */
  readonly width: number;
  /** Longest sequence. */
  readonly context: number;
  /** V, real tokens. */
  readonly vocabulary: number;
  readonly valueHead: boolean;
}

export interface TensorSpec {
  readonly name: string;
  /** Row-major; matrices are [inputs, outputs]. */
  readonly shape: readonly number[];
  readonly size: number;
  /** Elements from the start of the padded parameter buffer. */
  readonly offset: number;
  /** Standard deviation of the initial values; "ones" for gains. */
  readonly init: number | "ones";
}

export interface ModelLayout {
  readonly config: ModelConfig;
  readonly tensors: readonly TensorSpec[];
  readonly byName: ReadonlyMap<string, TensorSpec>;
  /** Elements of the padded buffer, a multiple of 64. */
  readonly padded: number;
  /** Elements without padding: the length of a snapshot. */
  readonly parameters: number;
  /** V rounded up to a multiple of 4: columns of the head; those past V stay 0. */
  readonly headColumns: number;
}

/** Tensors of the decoder in their order in snapshots and files. @throws ConfigError */
export function layoutOf(config: ModelConfig): ModelLayout {
  const { layers, width, context, vocabulary } = config;
  if (width % HEAD_WIDTH !== 0 || width <= 0) throw new ConfigError(`width is ${width}, allowed are multiples of ${HEAD_WIDTH}`);
  const headColumns = Math.ceil(vocabulary / 4) * 4;
  const tensors: TensorSpec[] = [];
  let offset = 0;
  const add = (name: string, shape: readonly number[], init: number | "ones"): void => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    tensors.push({ name, shape, size, offset, init });
    offset += aligned(size);
  };
  const inner = 1 / Math.sqrt(width);
  const residual = inner / Math.sqrt(2 * layers);
  add("embed.token", [vocabulary, width], 1);
  add("embed.position", [context, width], 0.3);
  add("embed.previous", [vocabulary, width], 1);
  for (let layer = 0; layer < layers; layer += 1) {
    add(`layers.${layer}.attention.norm`, [width], "ones");
    add(`layers.${layer}.attention.qkv`, [width, 3 * width], inner);
    add(`layers.${layer}.attention.out`, [width, width], residual);
    add(`layers.${layer}.mlp.norm`, [width], "ones");
    add(`layers.${layer}.mlp.up`, [width, 4 * width], inner);
    add(`layers.${layer}.mlp.down`, [4 * width, width], residual / 2);
  }
  add("norm", [width], "ones");
  add("head", [width, headColumns], inner / 2);
  // Four columns, of which the first is the value: the matrix kernels work on multiples of four.
  if (config.valueHead) add("value", [width, 4], 0);
  return {
    config,
    tensors,
    byName: new Map(tensors.map((tensor) => [tensor.name, tensor])),
    padded: offset,
    parameters: tensors.reduce((sum, tensor) => sum + tensor.size, 0),
    headColumns,
  };
}

/** Initial weights without padding. Sums of twelve uniforms stand in for normal draws, so that they are the same everywhere. */
export function initialWeights(layout: ModelLayout, rng: Rng): Float32Array<ArrayBuffer> {
  const weights = new Float32Array(layout.parameters);
  let start = 0;
  for (const tensor of layout.tensors) {
    const stream = rng.fork(`init/${tensor.name}`);
    for (let index = 0; index < tensor.size; index += 1) {
      if (tensor.init === "ones") weights[start + index] = 1;
      else {
        let sum = -6;
        for (let draw = 0; draw < 12; draw += 1) sum += stream.next();
        const column = index % (tensor.shape.at(-1) ?? 1);
        weights[start + index] = tensor.name === "head" && column >= layout.config.vocabulary ? 0 : sum * tensor.init;
      }
    }
    start += tensor.size;
  }
  return weights;
}

/** Snapshot order to padded order. @throws PolicyError when the number of weights is not the model's. */
export function padWeights(layout: ModelLayout, weights: Float32Array): Float32Array<ArrayBuffer> {
  if (weights.length !== layout.parameters) throw new PolicyError(`got ${weights.length} weights, the model has ${layout.parameters}`);
  const padded = new Float32Array(layout.padded);
  let start = 0;
  for (const tensor of layout.tensors) {
    padded.set(weights.subarray(start, start + tensor.size), tensor.offset);
    start += tensor.size;
  }
  return padded;
}

export function unpadWeights(layout: ModelLayout, padded: Float32Array): Float32Array<ArrayBuffer> {
  const weights = new Float32Array(layout.parameters);
  let start = 0;
  for (const tensor of layout.tensors) {
    weights.set(padded.subarray(tensor.offset, tensor.offset + tensor.size), start);
    start += tensor.size;
  }
  return weights;
}

/** Floating-point operations of the heaviest kernel for one row: the wide products of a layer, the head, or attention's gradient over a whole context. */
export const heaviestRow = ({ config: { width, context }, headColumns }: ModelLayout): number => Math.max(8 * width * width, 2 * width * headColumns, 10 * width * context);
