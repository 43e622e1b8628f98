import { KernelError } from "#core/errors.ts";
import type { BufferRange, DeviceBuffer, Executor } from "./executor.ts";
import { attention } from "./kernels/attention/index.ts";
import { attentionBackward } from "./kernels/attention-backward/index.ts";
import { embed } from "./kernels/embed/index.ts";
import { embedBackward } from "./kernels/embed-backward/index.ts";
import { gatherRows } from "./kernels/gather-rows/index.ts";
import { MATMUL, matmul } from "./kernels/matmul/index.ts";
import { matmulGradient } from "./kernels/matmul-gradient/index.ts";
import { rmsNorm } from "./kernels/rms-norm/index.ts";
import { rmsNormBackward } from "./kernels/rms-norm-backward/index.ts";
import { rmsNormGainGradient } from "./kernels/rms-norm-gain-gradient/index.ts";
import { HEAD_WIDTH, ROW_FIELDS, SHARDS } from "./kernels/rows.ts";
import { storeKv } from "./kernels/store-kv/index.ts";
import { transpose } from "./kernels/transpose/index.ts";
import type { ModelLayout } from "./model.ts";
import { CHUNK_STARTS, type Chunk } from "./packing.ts";
import type { Workspace } from "./workspace.ts";

type Binding = DeviceBuffer | BufferRange;

/** Matrices that the gradient of a layer is multiplied by, turned. */
const TURNED = /^layers\.\d+\.(mlp|attention)\.(up|down|qkv|out)$/;

/** Everything from a row on. */
const rowsOf = (buffer: DeviceBuffer, first: number, columns: number): BufferRange => ({ buffer, offset: first * columns, length: buffer.length - first * columns });

const extentOf = (chunks: readonly Chunk[]): number => chunks.reduce((most, { first, count }) => Math.max(most, first + count), 0);

/** Keys and values of every position of every slot, one buffer a layer: [slots · context, 2 · width]. */
export interface KvCache {
  readonly layers: readonly DeviceBuffer[];
}

/** What a forward pass leaves for its gradient, one layer. */
interface LayerBuffers {
  readonly normed1: BufferRange;
  readonly inverse1: BufferRange;
  readonly qkv: BufferRange;
  readonly attended: BufferRange;
  readonly statistics: BufferRange;
  readonly middle: BufferRange;
  readonly normed2: BufferRange;
  readonly inverse2: BufferRange;
  readonly hidden: BufferRange;
}

/** Rows picked for prediction, and how to scatter back: pick[targets] of rows, place[rows] of targets. */
export interface Picked {
  readonly pick: DeviceBuffer;
  readonly place: DeviceBuffer;
  readonly count: number;
}

/** Shard boundaries in rows, CHUNK_STARTS a chunk, and in picked rows. */
export interface ShardStarts {
  readonly rows: DeviceBuffer;
  readonly picked: DeviceBuffer;
}

/**
 * Decoder-only transformer over packed rows: pre-RMSNorm, no biases, ReLU MLP of width 4d, learned positions, the previous token's
 * embedding added at each position, untied head. Written once against `Executor`; knows nothing of sampling or objectives.
 */
export class Transformer {
  readonly #executor: Executor;
  readonly #workspace: Workspace;
  readonly layout: ModelLayout;

  constructor(executor: Executor, workspace: Workspace, layout: ModelLayout) {
    this.#executor = executor;
    this.#workspace = workspace;
    this.layout = layout;
  }

  /** Where a tensor lies in a parameter buffer (or in a gradient shard). */
  #tensor(buffer: DeviceBuffer, name: string): BufferRange {
    const spec = this.layout.byName.get(name);
    if (!spec) throw new KernelError(`the model has no tensor ${name}`);
    return { buffer, offset: spec.offset, length: spec.size };
  }

  /** A tensor's place in all gradient shards: the range runs to the end, the kernel steps by the shard stride. */
  #gradient(shards: DeviceBuffer, name: string): BufferRange {
    const { offset } = this.#tensor(shards, name);
    return { buffer: shards, offset, length: shards.length - offset };
  }

  /** What a chunk uses of a layer's buffers: `scope` "train" keeps all of every layer, "pass" one chunk of one layer. */
  #layer(scope: "train" | "pass", layer: number, chunk: Chunk, rows: number): LayerBuffers {
    const { width } = this.layout.config;
    const keep = scope === "train";
    const get = (name: string, columns: number): BufferRange =>
      rowsOf(this.#workspace.get(keep ? `train.${layer}.${name}` : `pass.${name}`, "f32", (keep ? rows : chunk.count) * columns), keep ? chunk.first : 0, columns);
    return {
      normed1: get("normed1", width), inverse1: get("inverse1", 1), qkv: get("qkv", 3 * width), attended: get("attended", width),
      statistics: get("statistics", (width / HEAD_WIDTH) * 2), middle: get("middle", width), normed2: get("normed2", width),
      inverse2: get("inverse2", 1), hidden: get("hidden", 4 * width),
    };
  }

  /** The input of a layer, or the output of the last, which is kept whole. */
  #residual(scope: "train" | "pass", layer: number, chunk: Chunk, rows: number): BufferRange {
    const { width, layers } = this.layout.config;
    if (scope === "train") return rowsOf(this.#workspace.get(`train.x.${layer}`, "f32", rows * width), chunk.first, width);
    if (layer === layers) return rowsOf(this.#workspace.get("pass.x", "f32", rows * width), chunk.first, width);
    return rowsOf(this.#workspace.get(`pass.x.${layer % 2}`, "f32", chunk.count * width), 0, width);
  }

  #matmul(a: Binding, b: Binding, c: Binding, rows: number, inner: number, columns: number, mode: number = MATMUL.STORE, other: Binding = a): void {
    this.#executor.run(matmul, [a, b, other, c], { inner, columns, mode, rows });
  }

  /**
   * Hidden states before the last norm, chunk after chunk through all layers. With a cache, keys and values are stored there and read
   * from there; without, rows are whole sequences that attend to each other.
   */
  trunk(weights: DeviceBuffer, rows: DeviceBuffer, chunks: readonly Chunk[], scope: "train" | "pass", cache?: KvCache): DeviceBuffer {
    for (const chunk of chunks) this.#chunk(weights, rows, chunk, extentOf(chunks), scope, cache);
    return this.#residual(scope, this.layout.config.layers, { first: 0, count: 0 }, extentOf(chunks)).buffer;
  }

  #chunk(weights: DeviceBuffer, allRows: DeviceBuffer, chunk: Chunk, extent: number, scope: "train" | "pass", cache?: KvCache): void {
    const { width, layers } = this.layout.config;
    const { count } = chunk;
    const run = this.#executor.run.bind(this.#executor);
    const w = (name: string): BufferRange => this.#tensor(weights, name);
    const rows = rowsOf(allRows, chunk.first, ROW_FIELDS);
    let x = this.#residual(scope, 0, chunk, extent);
    run(embed, [rows, w("embed.token"), w("embed.position"), w("embed.previous"), x], { width, rows: count });
    for (let layer = 0; layer < layers; layer += 1) {
      const b = this.#layer(scope, layer, chunk, extent);
      run(rmsNorm, [x, w(`layers.${layer}.attention.norm`), b.normed1, b.inverse1], { width, rows: count });
      this.#matmul(b.normed1, w(`layers.${layer}.attention.qkv`), b.qkv, count, width, 3 * width);
      const cached = cache?.layers[layer];
      if (cached) run(storeKv, [rows, b.qkv, cached], { width, rows: count });
      run(attention, [rows, b.qkv, cached ?? b.qkv, b.attended, b.statistics], {
        rows: count, width,
        keyStride: cached ? 2 * width : 3 * width, keyOffset: cached ? 0 : width, valueOffset: cached ? width : 2 * width,
      });
      this.#matmul(b.attended, w(`layers.${layer}.attention.out`), b.middle, count, width, width, MATMUL.ADD, x);
      run(rmsNorm, [b.middle, w(`layers.${layer}.mlp.norm`), b.normed2, b.inverse2], { width, rows: count });
      this.#matmul(b.normed2, w(`layers.${layer}.mlp.up`), b.hidden, count, width, 4 * width, MATMUL.RELU);
      const next = this.#residual(scope, layer + 1, chunk, extent);
      this.#matmul(b.hidden, w(`layers.${layer}.mlp.down`), next, count, 4 * width, width, MATMUL.ADD, b.middle);
      x = next;
    }
  }

  /** x[pick[i]] for each picked row. */
  pick(x: DeviceBuffer, index: DeviceBuffer, count: number, name: string): DeviceBuffer {
    const { width } = this.layout.config;
    const picked = this.#workspace.get(name, "f32", count * width);
    this.#executor.run(gatherRows, [x, index, picked], { width, rows: count });
    return picked;
  }

  /** logits[count, headColumns] of hidden rows; `scope` names the buffers. */
  logits(weights: DeviceBuffer, x: DeviceBuffer, count: number, scope: string): DeviceBuffer {
    const { config: { width }, headColumns } = this.layout;
    const [normed, logits] = [this.#workspace.get(`${scope}.normed`, "f32", count * width), this.#workspace.get(`${scope}.logits`, "f32", count * headColumns)];
    this.#executor.run(rmsNorm, [x, this.#tensor(weights, "norm"), normed, this.#workspace.get(`${scope}.inverse`, "f32", count)], { width, rows: count });
    this.#matmul(normed, this.#tensor(weights, "head"), logits, count, width, headColumns);
    return logits;
  }

  /** values[count, 4], the first column counts; call after `logits` with the same scope. */
  values(weights: DeviceBuffer, count: number, scope: string): DeviceBuffer {
    const { width } = this.layout.config;
    const values = this.#workspace.get(`${scope}.values`, "f32", count * 4);
    this.#matmul(this.#workspace.get(`${scope}.normed`, "f32", count * width), this.#tensor(weights, "value"), values, count, width, 4);
    return values;
  }

  #transposed(weights: DeviceBuffer, name: string): DeviceBuffer {
    const spec = this.layout.byName.get(name);
    const [rows = 0, columns = 0] = spec?.shape ?? [];
    const result = this.#workspace.get(`transposed.${name}`, "f32", rows * columns);
    this.#executor.run(transpose, [this.#tensor(weights, name), result], { rows, columns });
    return result;
  }

  /**
   * Adds the gradient of everything to `shards` [SHARDS, padded], from dLogits[picked, headColumns] (and dValues[picked, 4]) after a
   * "train" pass whose logits were made with scope "train".
   */
  backward(weights: DeviceBuffer, shards: DeviceBuffer, rows: DeviceBuffer, chunks: readonly Chunk[], picked: Picked, starts: ShardStarts, dLogits: DeviceBuffer, dValues?: DeviceBuffer): void {
    if (shards.length !== SHARDS * this.layout.padded) throw new KernelError(`gradient buffer has ${shards.length} elements, needs ${SHARDS * this.layout.padded}`);
    const dPicked = this.#headBackward(weights, shards, picked, starts.picked, dLogits, dValues);
    const turned = new Map([...this.layout.byName.keys()].filter((name) => TURNED.test(name)).map((name) => [name, this.#transposed(weights, name)]));
    for (const [index, chunk] of chunks.entries()) {
      const within = rowsOf(starts.rows, index, CHUNK_STARTS);
      this.#chunkBackward(weights, turned, shards, rowsOf(rows, chunk.first, ROW_FIELDS), chunk, extentOf(chunks), rowsOf(picked.place, chunk.first, 1), within, dPicked);
    }
  }

  /** dX[picked, width] of the rows picked, and the gradients of the last norm and of the heads. */
  #headBackward(weights: DeviceBuffer, shards: DeviceBuffer, { count }: Picked, starts: DeviceBuffer, dLogits: DeviceBuffer, dValues?: DeviceBuffer): DeviceBuffer {
    const { config: { width }, headColumns, padded: stride } = this.layout;
    const run = this.#executor.run.bind(this.#executor);
    const get = (name: string, length: number): DeviceBuffer => this.#workspace.get(name, "f32", length);
    const [normed, inverse, x] = [get("train.normed", count * width), get("train.inverse", count), get("train.picked", count * width)];
    let dNormed = get("back.normed", count * width);
    this.#matmul(dLogits, this.#transposed(weights, "head"), dNormed, count, headColumns, width);
    run(matmulGradient, [normed, dLogits, starts, this.#gradient(shards, "head")], { inner: width, columns: headColumns, stride });
    if (dValues) {
      const both = get("back.normedBoth", count * width);
      this.#matmul(dValues, this.#transposed(weights, "value"), both, count, 4, width, MATMUL.ADD, dNormed);
      run(matmulGradient, [normed, dValues, starts, this.#gradient(shards, "value")], { inner: width, columns: 4, stride });
      dNormed = both;
    }
    const dPicked = get("back.picked", count * width);
    run(rmsNormBackward, [x, this.#tensor(weights, "norm"), inverse, dNormed, dPicked], { width, accumulate: 0, rows: count });
    run(rmsNormGainGradient, [x, inverse, dNormed, starts, this.#gradient(shards, "norm")], { width, stride });
    return dPicked;
  }

  #chunkBackward(
    weights: DeviceBuffer, turned: ReadonlyMap<string, DeviceBuffer>, shards: DeviceBuffer, rows: BufferRange, chunk: Chunk, extent: number,
    place: BufferRange, starts: BufferRange, dPicked: DeviceBuffer,
  ): void {
    const { config: { width, layers }, padded: stride } = this.layout;
    const { count } = chunk;
    const run = this.#executor.run.bind(this.#executor);
    const w = (name: string): BufferRange => this.#tensor(weights, name);
    const get = (name: string, columns: number): DeviceBuffer => this.#workspace.get(`back.${name}`, "f32", count * columns);
    const back = (name: string, dc: Binding, c: Binding, inner: number, columns: number, mode?: number, other?: Binding): void => {
      const transposed = turned.get(name);
      if (!transposed) throw new KernelError(`the model has no matrix ${name}`);
      this.#matmul(dc, transposed, c, count, inner, columns, mode, other);
    };
    const weightGradient = (name: string, a: Binding, dc: Binding, inner: number, columns: number): void =>
      run(matmulGradient, [a, dc, starts, this.#gradient(shards, name)], { inner, columns, stride });
    const normBackward = (name: string, x: Binding, inverse: Binding, dy: Binding, to: Binding): void => {
      run(rmsNormBackward, [x, w(name), inverse, dy, to], { width, accumulate: 1, rows: count });
      run(rmsNormGainGradient, [x, inverse, dy, starts, this.#gradient(shards, name)], { width, stride });
    };

    const [dx, dHidden, dNorm, dQkv] = [get("dx", width), get("hidden", 4 * width), get("norm", width), get("qkv", 3 * width)];
    run(gatherRows, [dPicked, place, dx], { width, rows: count });
    for (let layer = layers - 1; layer >= 0; layer -= 1) {
      const b = this.#layer("train", layer, chunk, extent);
      const name = (part: string): string => `layers.${layer}.${part}`;
      back(name("mlp.down"), dx, dHidden, width, 4 * width, MATMUL.GATE, b.hidden);
      weightGradient(name("mlp.down"), b.hidden, dx, 4 * width, width);
      back(name("mlp.up"), dHidden, dNorm, 4 * width, width);
      weightGradient(name("mlp.up"), b.normed2, dHidden, width, 4 * width);
      normBackward(name("mlp.norm"), b.middle, b.inverse2, dNorm, dx);

      const dAttended = dNorm;
      back(name("attention.out"), dx, dAttended, width, width);
      weightGradient(name("attention.out"), b.attended, dx, width, width);
      run(attentionBackward, [rows, b.qkv, b.attended, b.statistics, dAttended, dQkv], { width, rows: count });
      weightGradient(name("attention.qkv"), b.normed1, dQkv, width, 3 * width);
      back(name("attention.qkv"), dQkv, dNorm, 3 * width, width);
      normBackward(name("attention.norm"), this.#residual("train", layer, chunk, extent), b.inverse1, dNorm, dx);
    }
    const offsetOf = (tensor: string): number => this.#tensor(shards, tensor).offset;
    run(embedBackward, [rows, dx, starts, this.#gradient(shards, "embed.token")], {
      width, positionOffset: offsetOf("embed.position"), previousOffset: offsetOf("embed.previous"), stride,
    });
  }
}
