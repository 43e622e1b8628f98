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
import { HEAD_WIDTH, SHARDS } from "./kernels/rows.ts";
import { storeKv } from "./kernels/store-kv/index.ts";
import { transpose } from "./kernels/transpose/index.ts";
import type { ModelLayout } from "./model.ts";
import type { Workspace } from "./workspace.ts";

/** Keys and values of every position of every slot, one buffer a layer: [slots · context, 2 · width]. */
export interface KvCache {
  readonly layers: readonly DeviceBuffer[];
}

/** What a forward pass leaves for its gradient, one layer. */
interface LayerBuffers {
  readonly normed1: DeviceBuffer;
  readonly inverse1: DeviceBuffer;
  readonly qkv: DeviceBuffer;
  readonly attended: DeviceBuffer;
  readonly statistics: DeviceBuffer;
  readonly middle: DeviceBuffer;
  readonly normed2: DeviceBuffer;
  readonly inverse2: DeviceBuffer;
  readonly hidden: DeviceBuffer;
}

/** Rows picked for prediction, and how to scatter back: pick[targets] of rows, place[rows] of targets. */
export interface Picked {
  readonly pick: DeviceBuffer;
  readonly place: DeviceBuffer;
  readonly count: number;
}

/** Shard boundaries in rows and in picked rows. */
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

  /** `scope` "train" keeps every layer's buffers, "pass" reuses one set. */
  #layer(scope: "train" | "pass", layer: number, rows: number): LayerBuffers {
    const { width } = this.layout.config;
    const prefix = scope === "train" ? `train.${layer}` : "pass";
    const get = (name: string, columns: number): DeviceBuffer => this.#workspace.get(`${prefix}.${name}`, "f32", rows * columns);
    return {
      normed1: get("normed1", width), inverse1: get("inverse1", 1), qkv: get("qkv", 3 * width), attended: get("attended", width),
      statistics: get("statistics", (width / HEAD_WIDTH) * 2), middle: get("middle", width), normed2: get("normed2", width),
      inverse2: get("inverse2", 1), hidden: get("hidden", 4 * width),
    };
  }

  #residual(scope: "train" | "pass", layer: number, rows: number): DeviceBuffer {
    return this.#workspace.get(scope === "train" ? `train.x.${layer}` : `pass.x.${layer % 2}`, "f32", rows * this.layout.config.width);
  }

  #matmul(a: DeviceBuffer, b: BufferRange | DeviceBuffer, c: DeviceBuffer, rows: number, inner: number, columns: number, mode: number = MATMUL.STORE, other: DeviceBuffer = a): void {
    this.#executor.run(matmul, [a, b, other, c], { inner, columns, mode, rows });
  }

  /**
   * Hidden states before the last norm. With a cache, keys and values are stored there and read from there; without, rows are whole
   * sequences that attend to each other.
   */
  trunk(weights: DeviceBuffer, rows: DeviceBuffer, count: number, scope: "train" | "pass", cache?: KvCache): DeviceBuffer {
    const { width, layers } = this.layout.config;
    const run = this.#executor.run.bind(this.#executor);
    const w = (name: string): BufferRange => this.#tensor(weights, name);
    let x = this.#residual(scope, 0, count);
    run(embed, [rows, w("embed.token"), w("embed.position"), w("embed.previous"), x], { width, rows: count });
    for (let layer = 0; layer < layers; layer += 1) {
      const b = this.#layer(scope, layer, count);
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
      const next = this.#residual(scope, layer + 1, count);
      this.#matmul(b.hidden, w(`layers.${layer}.mlp.down`), next, count, 4 * width, width, MATMUL.ADD, b.middle);
      x = next;
    }
    return x;
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
  backward(weights: DeviceBuffer, shards: DeviceBuffer, rows: DeviceBuffer, count: number, picked: Picked, starts: ShardStarts, dLogits: DeviceBuffer, dValues?: DeviceBuffer): void {
    const { config: { width, layers }, headColumns, padded: stride } = this.layout;
    const run = this.#executor.run.bind(this.#executor);
    const w = (name: string): BufferRange => this.#tensor(weights, name);
    const get = (name: string, length: number): DeviceBuffer => this.#workspace.get(`back.${name}`, "f32", length);
    const weightGradient = (name: string, a: DeviceBuffer, dc: DeviceBuffer, inner: number, columns: number, at: DeviceBuffer): void =>
      run(matmulGradient, [a, dc, at, this.#gradient(shards, name)], { inner, columns, stride });
    if (shards.length !== SHARDS * stride) throw new KernelError(`gradient buffer has ${shards.length} elements, needs ${SHARDS * stride}`);

    const normed = this.#workspace.get("train.normed", "f32", picked.count * width);
    const inverse = this.#workspace.get("train.inverse", "f32", picked.count);
    const pickedX = this.#workspace.get("train.picked", "f32", picked.count * width);
    let dNormed = get("normed", picked.count * width);
    this.#matmul(dLogits, this.#transposed(weights, "head"), dNormed, picked.count, headColumns, width);
    weightGradient("head", normed, dLogits, width, headColumns, starts.picked);
    if (dValues) {
      const both = get("normedBoth", picked.count * width);
      this.#matmul(dValues, this.#transposed(weights, "value"), both, picked.count, 4, width, MATMUL.ADD, dNormed);
      weightGradient("value", normed, dValues, width, 4, starts.picked);
      dNormed = both;
    }
    const dPicked = get("picked", picked.count * width);
    run(rmsNormBackward, [pickedX, w("norm"), inverse, dNormed, dPicked], { width, accumulate: 0, rows: picked.count });
    run(rmsNormGainGradient, [pickedX, inverse, dNormed, starts.picked, this.#gradient(shards, "norm")], { width, stride });
    const dx = get("dx", count * width);
    run(gatherRows, [dPicked, picked.place, dx], { width, rows: count });

    const [dHidden, dNorm, dQkv] = [get("hidden", count * 4 * width), get("norm", count * width), get("qkv", count * 3 * width)];
    for (let layer = layers - 1; layer >= 0; layer -= 1) {
      const b = this.#layer("train", layer, count);
      const name = (part: string): string => `layers.${layer}.${part}`;
      this.#matmul(dx, this.#transposed(weights, name("mlp.down")), dHidden, count, width, 4 * width, MATMUL.GATE, b.hidden);
      weightGradient(name("mlp.down"), b.hidden, dx, 4 * width, width, starts.rows);
      this.#matmul(dHidden, this.#transposed(weights, name("mlp.up")), dNorm, count, 4 * width, width);
      weightGradient(name("mlp.up"), b.normed2, dHidden, width, 4 * width, starts.rows);
      run(rmsNormBackward, [b.middle, w(name("mlp.norm")), b.inverse2, dNorm, dx], { width, accumulate: 1, rows: count });
      run(rmsNormGainGradient, [b.middle, b.inverse2, dNorm, starts.rows, this.#gradient(shards, name("mlp.norm"))], { width, stride });

      const dAttended = dNorm;
      this.#matmul(dx, this.#transposed(weights, name("attention.out")), dAttended, count, width, width);
      weightGradient(name("attention.out"), b.attended, dx, width, width, starts.rows);
      run(attentionBackward, [rows, b.qkv, b.attended, b.statistics, dAttended, dQkv], { width, rows: count });
      weightGradient(name("attention.qkv"), b.normed1, dQkv, width, 3 * width, starts.rows);
      this.#matmul(dQkv, this.#transposed(weights, name("attention.qkv")), dNorm, count, 3 * width, width);
      const x = this.#residual("train", layer, count);
      run(rmsNormBackward, [x, w(name("attention.norm")), b.inverse1, dNorm, dx], { width, accumulate: 1, rows: count });
      run(rmsNormGainGradient, [x, b.inverse1, dNorm, starts.rows, this.#gradient(shards, name("attention.norm"))], { width, stride });
    }
    const offsetOf = (tensor: string): number => this.#tensor(shards, tensor).offset;
    run(embedBackward, [rows, dx, starts.rows, this.#gradient(shards, "embed.token")], {
      width, positionOffset: offsetOf("embed.position"), previousOffset: offsetOf("embed.previous"), stride,
    });
  }
}
