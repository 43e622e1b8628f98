import { KernelError } from "#core/errors.ts";
import type { TokenSums } from "#core/objective.ts";
import type { BufferRange, DeviceBuffer, Executor } from "./executor.ts";
import { f32 } from "./kernel.ts";
import { ADAM, adamw } from "./kernels/adamw/index.ts";
import { reduceShards } from "./kernels/reduce-shards/index.ts";
import { SHARDS } from "./kernels/rows.ts";
import { NORM_PARTS, squaredNorm } from "./kernels/squared-norm/index.ts";
import { LOSS_SUMS, sumsOf } from "./kernels/token-loss/index.ts";

/** What AdamW remembers between steps; both moments in the order of the padded parameter buffer. */
export interface OptimizerState {
  /** Steps done. */
  readonly step: number;
  readonly first: Float32Array<ArrayBuffer>;
  readonly second: Float32Array<ArrayBuffer>;
}

/** What one step measured. */
export interface StepReport {
  /** Before clipping. */
  readonly gradNorm: number;
  /** What `lossSums` held: of no meaning where nobody wrote it for this step. */
  readonly sums: TokenSums;
}

/** Squared norm of a gradient in parts, then the sums of the loss it is of: one copy tells all of a step. */
export const REPORT = NORM_PARTS + LOSS_SUMS;

/** AdamW over one flat parameter buffer, gradients gathered in SHARDS sums and clipped to a global norm. */
export class Optimizer {
  readonly #executor: Executor;
  readonly #weights: DeviceBuffer;
  readonly #gradient: DeviceBuffer;
  readonly #first: DeviceBuffer;
  readonly #second: DeviceBuffer;
  readonly #report: DeviceBuffer;
  readonly #maxNorm: number;
  readonly #decay: number;
  #step = 0;
  /** [SHARDS, padded]; backward passes add here. */
  readonly shards: DeviceBuffer;

  constructor(executor: Executor, weights: DeviceBuffer, options: { readonly maxGradNorm: number; readonly weightDecay: number }) {
    const count = weights.length;
    this.#executor = executor;
    this.#weights = weights;
    this.#maxNorm = options.maxGradNorm;
    this.#decay = options.weightDecay;
    this.shards = executor.alloc("optimizer.shards", "f32", SHARDS * count);
    this.#gradient = executor.alloc("optimizer.gradient", "f32", count);
    this.#first = executor.alloc("optimizer.first", "f32", count);
    this.#second = executor.alloc("optimizer.second", "f32", count);
    this.#report = executor.alloc("optimizer.report", "f32", REPORT);
  }

  /** Room for the parts that `token-loss` writes; the next `update` tells them. */
  get lossSums(): BufferRange {
    return { buffer: this.#report, offset: NORM_PARTS, length: LOSS_SUMS };
  }

  /** The summed gradient in padded order, before clipping; for tests and meters. */
  async gradient(): Promise<Float32Array> {
    this.#executor.run(reduceShards, [this.shards, this.#gradient], { count: this.#weights.length });
    return f32([await this.#executor.read(this.#gradient)], 0);
  }

  /** The sums of some shards, [to − from, padded], which are zero from then on. @throws KernelError on a GPU, whose work no thread shares */
  takeShards(from: number, to: number): Float32Array<ArrayBuffer> {
    const [sums, count] = [this.#sums(), this.#weights.length];
    const taken = sums.slice(from * count, to * count);
    sums.fill(0, from * count, to * count);
    return taken;
  }

  /** Adds what another thread gathered in the shards from `from` on. @throws KernelError on a GPU */
  addShards(from: number, values: Float32Array): void {
    const sums = this.#sums().subarray(from * this.#weights.length);
    for (let index = 0; index < values.length; index += 1) sums[index] = (sums[index] ?? 0) + (values[index] ?? 0);
  }

  /** The memory of the shards itself. */
  #sums(): Float32Array<ArrayBuffer> {
    const view = this.#executor.view(this.shards);
    if (view === undefined) throw new KernelError("the gradient's shards lie on the GPU");
    return f32([view], 0);
  }

  /** The step is queued when this returns; what it resolves with is read after it. */
  async update(learningRate: number): Promise<StepReport> {
    const norm = { buffer: this.#report, offset: 0, length: NORM_PARTS };
    const count = this.#weights.length;
    this.#step += 1;
    let [power1, power2] = [1, 1];
    for (let n = 0; n < this.#step && power1 + power2 > 1e-12; n += 1) [power1, power2] = [power1 * ADAM.BETA1, power2 * ADAM.BETA2];
    this.#executor.run(reduceShards, [this.shards, this.#gradient], { count });
    this.#executor.run(squaredNorm, [this.#gradient, norm], { count });
    this.#executor.run(adamw, [this.#gradient, norm, this.#weights, this.#first, this.#second], {
      count, rate: learningRate, correction1: 1 / (1 - power1), correction2: 1 / (1 - power2), maxNorm: this.#maxNorm, decay: this.#decay,
    });
    this.#executor.clear(this.shards);
    const report = await this.#executor.read(this.#report);
    let squares = 0;
    for (const part of report.subarray(0, NORM_PARTS)) squares += part;
    return { gradNorm: Math.sqrt(squares), sums: sumsOf(report.subarray(NORM_PARTS)) };
  }

  /** A copy, taken between steps: gradients that were gathered and not used are no part of it. */
  async exportState(): Promise<OptimizerState> {
    const step = this.#step;
    const [first, second] = await Promise.all([this.#executor.read(this.#first), this.#executor.read(this.#second)]);
    return { step, first: new Float32Array(first), second: new Float32Array(second) };
  }

  importState({ step, first, second }: OptimizerState): void {
    this.#step = step;
    this.#executor.upload(this.#first, first);
    this.#executor.upload(this.#second, second);
    this.#executor.clear(this.shards);
  }

  /** Moments and step count back to the start. */
  reset(): void {
    this.#step = 0;
    for (const buffer of [this.#first, this.#second, this.shards]) this.#executor.clear(buffer);
  }

  dispose(): void {
    for (const buffer of [this.shards, this.#gradient, this.#first, this.#second, this.#report]) this.#executor.free(buffer);
  }
}
