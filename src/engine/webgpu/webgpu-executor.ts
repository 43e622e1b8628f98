import { DeviceLostError, KernelError } from "#core/errors.ts";
import { checkedRanges } from "../bindings.ts";
import type { BufferRange, DeviceBuffer, Executor } from "../executor.ts";
import type { ElementKind, KernelDefinition, Values, View } from "../kernel.ts";
import { ErrorWatch } from "./error-watch.ts";
import { ParamsArena } from "./params-arena.ts";
import { Pipelines } from "./pipelines.ts";
import { StagingPool } from "./staging.ts";
import { WebGpuBuffer, type BoundRange } from "./webgpu-buffer.ts";
import { ELEMENT_BYTES, paramsOf, sizesOf, viewOf } from "./values.ts";

export interface WebGpuExecutorOptions {
  /** Called once when the device goes away by itself or by `device.destroy()`; not after `dispose`. */
  readonly onLost?: (error: DeviceLostError) => void;
  /** What is recorded is submitted on `read` at the latest, earlier past these bounds, which keep one submit short. */
  readonly maxQueuedDispatches?: number;
  readonly maxQueuedInvocations?: number;
  /** Floating-point operations that one dispatch should not exceed, as `pilot` measured it; Infinity where absent. */
  readonly operationsAtOnce?: number;
}

/** Every array element a kernel declares fits (vec4f): bindings are widened to this within the buffer's own padding. */
const BINDING_BYTES = 16;
const MAX_QUEUED_DISPATCHES = 512;
/** About 50 ms on a 40 GFLOP/s device, 2 ms on a 1 TFLOP/s one: an invocation of a training step is 2 to 5 kFLOP, copies and products together. */
const MAX_QUEUED_INVOCATIONS = 1 << 19;
/** From here on an allocation is worth the error scopes that tell whether the device could serve it. */
const LARGE_ALLOCATION = 1 << 22;
/** Submits under way hide the wait of a map, which Firefox answers on a timer only; more of them would only make a pause late. */
const QUEUE_DEPTH = 3;
/** A rejected map and the loss that caused it arrive in either order. */
const LOSS_GRACE_MS = 1_000;

/**
 * Runs kernels on a WebGPU device that somebody else made and owns. Dispatches are recorded and submitted together: on `read`, when a
 * bound is reached, or when an upload needs them done first. Params of one submit lie in one uniform buffer, a slot per set of values.
 * What can only be known later (a shader that does not compile, memory the device refused) makes the next `read` reject with a
 * KernelError, and every call after it throw. `free` and `dispose` always work, so that cleaning up after a loss does.
 */
export class WebGpuExecutor implements Executor {
  readonly arithmetic = "webgpu";
  readonly memoryLimit = Infinity;
  readonly queueDepth = QUEUE_DEPTH;
  readonly #device: GPUDevice;
  readonly #maxDispatches: number;
  readonly #maxInvocations: number;
  readonly #operationsAtOnce: number;
  readonly #watch: ErrorWatch;
  readonly #pipelines: Pipelines;
  readonly #params: ParamsArena;
  readonly #staging: StagingPool;
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #buffers = new Set<WebGpuBuffer>();
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #recording = 0;
  #dispatches = 0;
  #invocations = 0;
  #nextId = 0;
  #liveBytes = 0;
  #lost: DeviceLostError | undefined;
  #disposed = false;

  /** @param device with the default limits at least */
  constructor(device: GPUDevice, options: WebGpuExecutorOptions = {}) {
    this.#device = device;
    this.#maxDispatches = options.maxQueuedDispatches ?? MAX_QUEUED_DISPATCHES;
    this.#maxInvocations = options.maxQueuedInvocations ?? MAX_QUEUED_INVOCATIONS;
    this.#operationsAtOnce = options.operationsAtOnce ?? Infinity;
    this.#watch = new ErrorWatch(device);
    this.#pipelines = Pipelines.of(device);
    this.#params = new ParamsArena(device, this.#maxDispatches);
    this.#staging = new StagingPool(device);
    void device.lost.then((info) => {
      const message = info.message === "" ? "no message" : info.message;
      this.#lost = new DeviceLostError(`the GPU device was lost (${info.reason}): ${message}`, { reason: info.reason });
      if (!this.#disposed) options.onLost?.(this.#lost);
    });
  }

  rowsAtOnce(operations: number): number {
    return Math.max(1, Math.floor(this.#operationsAtOnce / operations));
  }

  get liveBuffers(): number {
    return this.#buffers.size;
  }
  get liveBytes(): number {
    return this.#liveBytes;
  }

  alloc(label: string, kind: ElementKind, length: number): DeviceBuffer {
    this.#assertUsable();
    if (!Number.isInteger(length) || length < 1) throw new KernelError(`${label}: length is ${length}, allowed are integers from 1 on`);
    const bytes = Math.ceil((length * ELEMENT_BYTES) / BINDING_BYTES) * BINDING_BYTES;
    const { maxBufferSize } = this.#device.limits;
    if (bytes > maxBufferSize) throw new KernelError(`${label}: ${bytes} bytes are more than a buffer may have here (${maxBufferSize})`, { fault: "out-of-memory" });
    const create = (): GPUBuffer =>
      this.#device.createBuffer({ label, size: bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    const gpu = bytes < LARGE_ALLOCATION ? create() : this.#refused("out-of-memory", `${label}: no GPU memory for ${bytes} bytes`, create);
    const buffer = new WebGpuBuffer(this, this.#nextId, label, kind, length, bytes, gpu);
    this.#nextId += 1;
    this.#buffers.add(buffer);
    this.#liveBytes += bytes;
    return buffer;
  }

  free(buffer: DeviceBuffer): void {
    const own = this.#own(buffer);
    // A submit that names a destroyed buffer is invalid.
    if (own.usedIn === this.#recording && this.#lost === undefined) this.#submit();
    this.#release(own);
  }

  upload(buffer: DeviceBuffer, values: View, offset = 0): void {
    this.#assertUsable();
    const own = this.#own(buffer);
    if ((own.kind === "f32") !== values instanceof Float32Array)
      throw new KernelError(`${own.label} holds ${own.kind}, got ${values.constructor.name}`);
    this.#assertRange(own, offset, values.length);
    if (values.length === 0) return;
    if (own.usedIn === this.#recording) this.#submit();
    this.#device.queue.writeBuffer(own.gpu, offset * ELEMENT_BYTES, values);
  }

  clear(buffer: DeviceBuffer): void {
    this.#assertUsable();
    const own = this.#own(buffer);
    this.#openEncoder().clearBuffer(own.gpu);
    own.usedIn = this.#recording;
  }

  run(kernel: KernelDefinition, bindings: readonly (DeviceBuffer | BufferRange)[], values: Values): void {
    this.#assertUsable();
    const ranges = this.#boundRanges(kernel, checkedRanges(kernel, bindings, values));
    const [sizes, params] = [sizesOf(kernel, values), paramsOf(kernel, values)];
    const threads = kernel.threads(values);
    if (threads <= 0) return;
    const pipeline = this.#pipelines.get(kernel, sizes, this.#watch);
    if (this.#dispatches >= this.#maxDispatches || this.#invocations + threads > this.#maxInvocations) this.#submit();

    const group = this.#bindGroup(kernel, ranges);
    const offsets = params.length === 0 ? [] : [this.#params.slotOf(params)];
    const workgroups = Math.ceil(threads / kernel.workgroupSize);
    const down = Math.ceil(workgroups / this.#device.limits.maxComputeWorkgroupsPerDimension);
    const pass = this.#openPass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group, offsets);
    pass.dispatchWorkgroups(Math.ceil(workgroups / down), down);
    for (const { buffer } of ranges) buffer.usedIn = this.#recording;
    this.#dispatches += 1;
    this.#invocations += threads;
  }

  view(_buffer: DeviceBuffer): undefined {
    return undefined;
  }

  async read(buffer: DeviceBuffer, offset = 0, length?: number): Promise<View> {
    this.#assertUsable();
    const own = this.#own(buffer);
    const count = length ?? own.length - offset;
    this.#assertRange(own, offset, count);
    if (count === 0) return viewOf(own.kind, new ArrayBuffer(0));
    const bytes = count * ELEMENT_BYTES;
    const staging = this.#staging.take(bytes);
    this.#openEncoder().copyBufferToBuffer(own.gpu, offset * ELEMENT_BYTES, staging.buffer, 0, bytes);
    const recording = this.#recording;
    own.usedIn = recording;
    // Copies that are asked for together leave with one submit.
    await Promise.resolve();
    if (this.#recording === recording) this.#submit();
    const judged = this.#watch.settled();
    try {
      await staging.buffer.mapAsync(GPUMapMode.READ, 0, bytes);
    } catch (error) {
      staging.buffer.destroy();
      throw await this.#reasonOf(error, judged);
    }
    // Asked for before the copy ran, so as good as there: this adds no wait worth naming.
    await judged;
    const copy = staging.buffer.getMappedRange(0, bytes).slice(0);
    staging.buffer.unmap();
    this.#staging.giveBack(staging);
    this.#assertUsable();
    return viewOf(own.kind, copy);
  }

  /**
   * Compiles the pipeline of a kernel at these sizes in the background, so that `run` finds it ready.
   * @throws KernelError with the compiler's messages
   */
  async prepare(kernel: KernelDefinition, sizes: Values): Promise<void> {
    this.#assertUsable();
    try {
      await this.#pipelines.prepare(kernel, sizesOf(kernel, sizes));
    } catch (error) {
      throw this.#lost ?? error;
    }
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#pass?.end();
    this.#pass = undefined;
    this.#encoder = undefined;
    for (const buffer of this.#buffers) this.#release(buffer);
    this.#staging.dispose();
    this.#params.buffer.destroy();
  }

  #assertUsable(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#watch.failure !== undefined) throw this.#watch.failure;
    if (this.#disposed) throw new KernelError("the WebGPU executor was disposed");
  }

  #assertRange(buffer: WebGpuBuffer, offset: number, length: number): void {
    const whole = Number.isInteger(offset) && Number.isInteger(length) && offset >= 0 && length >= 0;
    if (!whole || offset + length > buffer.length)
      throw new KernelError(`${buffer.label}: elements ${offset} to ${offset + length} lie outside its ${buffer.length}`);
  }

  #own(buffer: DeviceBuffer): WebGpuBuffer {
    if (!(buffer instanceof WebGpuBuffer) || buffer.owner !== this) throw new KernelError(`${buffer.label} is a buffer of another executor`);
    if (buffer.freed) throw new KernelError(`${buffer.label} was freed before`);
    return buffer;
  }

  #release(buffer: WebGpuBuffer): void {
    for (const key of buffer.boundIn) this.#groups.delete(key);
    buffer.freed = true;
    buffer.gpu.destroy();
    this.#buffers.delete(buffer);
    this.#liveBytes -= buffer.bytes;
  }

  #boundRanges(kernel: KernelDefinition, ranges: readonly BufferRange[]): readonly BoundRange[] {
    const { maxStorageBufferBindingSize } = this.#device.limits;
    const written: BoundRange[] = [];
    const bound = ranges.map(({ buffer, offset, length }, index) => {
      const own = this.#own(buffer);
      const size = Math.ceil((length * ELEMENT_BYTES) / BINDING_BYTES) * BINDING_BYTES;
      if (size > maxStorageBufferBindingSize)
        throw new KernelError(`${kernel.name}: ${own.label} is bound with ${size} bytes, allowed are ${maxStorageBufferBindingSize} here`);
      const range: BoundRange = { buffer: own, offset: offset * ELEMENT_BYTES, size };
      if (kernel.bindings[index]?.access === "write") written.push(range);
      return range;
    });
    for (const output of written)
      for (const [index, range] of bound.entries()) {
        if (range === output || range.buffer !== output.buffer) continue;
        const reads = kernel.bindings[index]?.access === "read";
        if (reads) throw new KernelError(`${kernel.name} would read and write ${output.buffer.label} in one dispatch`);
        if (range.offset < output.offset + output.size && output.offset < range.offset + range.size)
          throw new KernelError(`${kernel.name} would write overlapping ranges of ${output.buffer.label}`);
      }
    return bound;
  }

  #bindGroup(kernel: KernelDefinition, ranges: readonly BoundRange[]): GPUBindGroup {
    let key = kernel.name;
    for (const { buffer, offset, size } of ranges) key += ` ${buffer.id}:${offset}:${size}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const entries: GPUBindGroupEntry[] = ranges.map(({ buffer, offset, size }, binding) => ({
      binding,
      resource: { buffer: buffer.gpu, offset, size },
    }));
    if (kernel.params.length > 0) {
      const size = Math.ceil((kernel.params.length * ELEMENT_BYTES) / BINDING_BYTES) * BINDING_BYTES;
      entries.push({ binding: entries.length, resource: { buffer: this.#params.buffer, size } });
    }
    const group = this.#device.createBindGroup({ label: kernel.name, layout: this.#pipelines.bindGroupLayout(kernel), entries });
    this.#groups.set(key, group);
    for (const { buffer } of ranges) buffer.boundIn.add(key);
    return group;
  }

  #openPass(): GPUComputePassEncoder {
    this.#encoder ??= this.#device.createCommandEncoder({ label: `recording ${this.#recording}` });
    this.#pass ??= this.#encoder.beginComputePass({ label: `recording ${this.#recording}` });
    return this.#pass;
  }

  /** For copies and clears, which no pass may hold. */
  #openEncoder(): GPUCommandEncoder {
    this.#pass?.end();
    this.#pass = undefined;
    this.#encoder ??= this.#device.createCommandEncoder({ label: `recording ${this.#recording}` });
    return this.#encoder;
  }

  #submit(): void {
    if (this.#encoder === undefined) return;
    const encoder = this.#openEncoder();
    this.#encoder = undefined;
    this.#refused("validation", "the GPU refused the recorded work", () => {
      this.#params.write(this.#device.queue);
      this.#device.queue.submit([encoder.finish()]);
    });
    this.#recording += 1;
    this.#dispatches = 0;
    this.#invocations = 0;
  }

  /** Does something to the device; what the device objects to fails the next read. */
  #refused<T>(filter: GPUErrorFilter, words: string, action: () => T): T {
    return this.#watch.scoped(filter, action, (message) => new KernelError(`${words}: ${message}`, filter === "out-of-memory" ? { fault: filter } : {}));
  }

  /** Why a map was rejected. */
  async #reasonOf(error: unknown, judged: Promise<void>): Promise<Error> {
    if (this.#lost === undefined && !this.#disposed) {
      await judged;
      if (this.#watch.failure === undefined) await Promise.race([this.#device.lost, new Promise((resolve) => setTimeout(resolve, LOSS_GRACE_MS))]);
    }
    if (this.#lost !== undefined) return this.#lost;
    if (this.#watch.failure !== undefined) return this.#watch.failure;
    if (this.#disposed) return new KernelError("the WebGPU executor was disposed while a read was under way");
    return new KernelError(`the GPU could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
