import { DeviceLostError, KernelError } from "#core/errors.ts";
import { ALIGNMENT, rangeOf, type BufferRange, type DeviceBuffer, type Executor } from "../executor.ts";
import type { ElementKind, KernelDefinition, Values, View } from "../kernel.ts";
import prelude from "./prelude.wgsl?raw";

export interface WebGpuExecutorOptions {
  /** Called once when the device goes away by itself or by `device.destroy()`; not after `dispose`. */
  readonly onLost?: (error: DeviceLostError) => void;
  /** What is recorded is submitted on `read` at the latest, earlier past these bounds, which keep one submit short. */
  readonly maxQueuedDispatches?: number;
  readonly maxQueuedInvocations?: number;
}

const ELEMENT_BYTES = 4;
/** Every array element a kernel declares fits (vec4f): bindings are widened to this within the buffer's own padding. */
const BINDING_BYTES = 16;
const MAX_QUEUED_DISPATCHES = 512;
/** About 50 ms of matmul invocations (2 kFLOP each) on a 40 GFLOP/s device, 2 ms on a 1 TFLOP/s one. */
const MAX_QUEUED_INVOCATIONS = 1 << 20;
/** From here on an allocation is worth the error scopes that tell whether the device could serve it. */
const LARGE_ALLOCATION = 1 << 22;
const MAX_POOLED_STAGING = 4;
/** A rejected map and the loss that caused it arrive in either order. */
const LOSS_GRACE_MS = 1_000;

interface KernelPipelines {
  readonly module: GPUShaderModule;
  readonly layout: GPUPipelineLayout;
  readonly bindGroupLayout: GPUBindGroupLayout;
  readonly bySizes: Map<string, GPUComputePipeline>;
  readonly groups: Map<string, GPUBindGroup>;
}

interface Staging {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

class WebGpuBuffer implements DeviceBuffer {
  readonly label: string;
  readonly kind: ElementKind;
  readonly length: number;
  readonly id: number;
  readonly bytes: number;
  readonly gpu: GPUBuffer;
  readonly owner: WebGpuExecutor;
  /** Number of the recording that last used it; a buffer in the current one may not be written from outside before it is submitted. */
  usedIn = -1;
  freed = false;
  /** Bind groups to forget with it. */
  readonly boundIn = new Set<{ readonly groups: Map<string, GPUBindGroup>; readonly key: string }>();
  constructor(owner: WebGpuExecutor, id: number, label: string, kind: ElementKind, length: number, bytes: number, gpu: GPUBuffer) {
    this.owner = owner;
    this.id = id;
    this.label = label;
    this.kind = kind;
    this.length = length;
    this.bytes = bytes;
    this.gpu = gpu;
  }
}

interface BoundRange {
  readonly buffer: WebGpuBuffer;
  /** In bytes. */
  readonly offset: number;
  readonly size: number;
}

const bits = new DataView(new ArrayBuffer(ELEMENT_BYTES));
const words = (value: number, kind: ElementKind): number => {
  if (kind === "u32") return value >>> 0;
  bits.setFloat32(0, value, true);
  return bits.getUint32(0, true);
};

/**
 * Runs kernels on a WebGPU device that somebody else made and owns. Dispatches are recorded and submitted together: on `read`, when a
 * bound is reached, or when an upload needs them done first. Params of one submit lie in one uniform buffer, a slot per set of values.
 * What can only be known later (a shader that does not compile, memory the device refused) makes the next `read` reject with a
 * KernelError, and every call after it throw. `free` and `dispose` always work, so that cleaning up after a loss does.
 */
export class WebGpuExecutor implements Executor {
  readonly arithmetic = "webgpu";
  readonly #device: GPUDevice;
  readonly #maxDispatches: number;
  readonly #maxInvocations: number;
  readonly #slotBytes: number;
  readonly #params: GPUBuffer;
  readonly #paramWords: Uint32Array<ArrayBuffer>;
  readonly #slots = new Map<string, number>();
  readonly #kernels = new Map<KernelDefinition, KernelPipelines>();
  readonly #buffers = new Set<WebGpuBuffer>();
  readonly #staging: Staging[] = [];
  /** Checks of what was handed to the device since the last read: each settles once the device has judged it. */
  readonly #checks = new Set<Promise<void>>();
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #recording = 0;
  #dispatches = 0;
  #invocations = 0;
  #nextId = 0;
  #liveBytes = 0;
  #failure: KernelError | undefined;
  #lost: DeviceLostError | undefined;
  #disposed = false;

  /** @param device with the default limits at least */
  constructor(device: GPUDevice, options: WebGpuExecutorOptions = {}) {
    this.#device = device;
    this.#maxDispatches = options.maxQueuedDispatches ?? MAX_QUEUED_DISPATCHES;
    this.#maxInvocations = options.maxQueuedInvocations ?? MAX_QUEUED_INVOCATIONS;
    this.#slotBytes = device.limits.minUniformBufferOffsetAlignment;
    this.#paramWords = new Uint32Array((this.#maxDispatches * this.#slotBytes) / ELEMENT_BYTES);
    this.#params = device.createBuffer({
      label: "params",
      size: this.#paramWords.byteLength,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    void device.lost.then((info) => {
      const message = info.message === "" ? "no message" : info.message;
      this.#lost = new DeviceLostError(`the GPU device was lost (${info.reason}): ${message}`, { reason: info.reason });
      if (!this.#disposed) options.onLost?.(this.#lost);
    });
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
    if (bytes > maxBufferSize) throw new KernelError(`${label}: ${bytes} bytes are more than a buffer may have here (${maxBufferSize})`);
    const create = (): GPUBuffer =>
      this.#device.createBuffer({ label, size: bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    const gpu = bytes < LARGE_ALLOCATION ? create() : this.#scoped("out-of-memory", `${label}: no GPU memory for ${bytes} bytes`, create);
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
    const ranges = this.#boundRanges(kernel, bindings);
    const sizes = constantsOf(kernel, values);
    const params = kernel.params.map(({ name, kind }) => words(checked(kernel, name, kind, values), kind));
    const threads = kernel.threads(values);
    if (threads <= 0) return;
    const pipelines = this.#pipelinesOf(kernel);
    const key = sizesKey(kernel, sizes);
    let pipeline = pipelines.bySizes.get(key);
    if (pipeline === undefined) {
      pipeline = this.#compile(kernel, pipelines, sizes);
      pipelines.bySizes.set(key, pipeline);
    }
    if (this.#dispatches >= this.#maxDispatches || this.#invocations + threads > this.#maxInvocations) this.#submit();

    const group = this.#bindGroup(kernel, pipelines, ranges);
    const offsets = params.length === 0 ? [] : [this.#slotOf(params)];
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

  view(): undefined {
    return undefined;
  }

  async read(buffer: DeviceBuffer, offset = 0, length?: number): Promise<View> {
    this.#assertUsable();
    const own = this.#own(buffer);
    const count = length ?? own.length - offset;
    this.#assertRange(own, offset, count);
    if (count === 0) return viewOf(own.kind, new ArrayBuffer(0));
    const bytes = count * ELEMENT_BYTES;
    const staging = this.#takeStaging(bytes);
    this.#openEncoder().copyBufferToBuffer(own.gpu, offset * ELEMENT_BYTES, staging.buffer, 0, bytes);
    this.#submit();
    const checks = [...this.#checks];
    try {
      await staging.buffer.mapAsync(GPUMapMode.READ, 0, bytes);
    } catch (error) {
      staging.buffer.destroy();
      throw await this.#reasonOf(error, checks);
    }
    // The checks were asked for before the copy was submitted, so they are as good as settled: this adds no wait worth naming.
    await Promise.all(checks);
    const copy = staging.buffer.getMappedRange(0, bytes).slice(0);
    staging.buffer.unmap();
    this.#returnStaging(staging);
    this.#assertUsable();
    return viewOf(own.kind, copy);
  }

  /**
   * Compiles the pipeline of a kernel at these sizes in the background, so that `run` finds it ready.
   * @throws KernelError with the compiler's messages
   */
  async prepare(kernel: KernelDefinition, sizes: Values): Promise<void> {
    this.#assertUsable();
    const constants = constantsOf(kernel, sizes);
    const key = sizesKey(kernel, constants);
    const pipelines = this.#pipelinesOf(kernel);
    if (pipelines.bySizes.has(key)) return;
    try {
      const pipeline = await this.#device.createComputePipelineAsync(describePipeline(kernel, pipelines, constants));
      if (!pipelines.bySizes.has(key)) pipelines.bySizes.set(key, pipeline);
    } catch (error) {
      if (this.#lost !== undefined) throw this.#lost;
      throw await compileError(kernel, pipelines.module, error instanceof Error ? error.message : String(error));
    }
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#pass?.end();
    this.#pass = undefined;
    this.#encoder = undefined;
    for (const buffer of this.#buffers) this.#release(buffer);
    for (const { buffer } of this.#staging) buffer.destroy();
    this.#staging.length = 0;
    this.#params.destroy();
    this.#kernels.clear();
  }

  #assertUsable(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#failure !== undefined) throw this.#failure;
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
    for (const { groups, key } of buffer.boundIn) groups.delete(key);
    buffer.boundIn.clear();
    buffer.freed = true;
    buffer.gpu.destroy();
    this.#buffers.delete(buffer);
    this.#liveBytes -= buffer.bytes;
  }

  #boundRanges(kernel: KernelDefinition, bindings: readonly (DeviceBuffer | BufferRange)[]): readonly BoundRange[] {
    if (bindings.length !== kernel.bindings.length)
      throw new KernelError(`${kernel.name} takes ${kernel.bindings.length} bindings, got ${bindings.length}`);
    const { maxStorageBufferBindingSize } = this.#device.limits;
    const written: BoundRange[] = [];
    const bound = kernel.bindings.map((binding, index) => {
      const { buffer, offset, length } = rangeOf(bindings[index] as DeviceBuffer | BufferRange);
      const own = this.#own(buffer);
      const place = `${kernel.name}: ${binding.name} (${own.label})`;
      if (own.kind !== binding.kind) throw new KernelError(`${place} must be ${binding.kind}, got ${own.kind}`);
      if (offset % ALIGNMENT !== 0) throw new KernelError(`${place} begins at element ${offset}, allowed are multiples of ${ALIGNMENT}`);
      this.#assertRange(own, offset, length);
      if (length === 0) throw new KernelError(`${place} is an empty range`);
      const size = Math.ceil((length * ELEMENT_BYTES) / BINDING_BYTES) * BINDING_BYTES;
      if (size > maxStorageBufferBindingSize)
        throw new KernelError(`${place} has ${size} bytes, a binding may have ${maxStorageBufferBindingSize} here`);
      const range: BoundRange = { buffer: own, offset: offset * ELEMENT_BYTES, size };
      if (binding.access === "write") written.push(range);
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

  #pipelinesOf(kernel: KernelDefinition): KernelPipelines {
    const known = this.#kernels.get(kernel);
    if (known !== undefined) return known;
    const entries: GPUBindGroupLayoutEntry[] = kernel.bindings.map(({ access }, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: access === "read" ? "read-only-storage" : "storage" },
    }));
    if (kernel.params.length > 0)
      entries.push({ binding: entries.length, visibility: GPUShaderStage.COMPUTE, buffer: { type: "uniform", hasDynamicOffset: true } });
    const bindGroupLayout = this.#device.createBindGroupLayout({ label: kernel.name, entries });
    // A module that does not compile makes its pipelines fail, which tell; here the error would only be told twice.
    this.#device.pushErrorScope("validation");
    // The prelude comes last: lines of the compiler's messages are then lines of the kernel's file.
    const module = this.#device.createShaderModule({ label: kernel.name, code: `${kernel.wgsl}\n${prelude}` });
    void this.#device.popErrorScope().catch(() => undefined);
    const pipelines: KernelPipelines = {
      module,
      layout: this.#device.createPipelineLayout({ label: kernel.name, bindGroupLayouts: [bindGroupLayout] }),
      bindGroupLayout,
      bySizes: new Map(),
      groups: new Map(),
    };
    this.#kernels.set(kernel, pipelines);
    return pipelines;
  }

  #compile(kernel: KernelDefinition, pipelines: KernelPipelines, sizes: Readonly<Record<string, number>>): GPUComputePipeline {
    this.#device.pushErrorScope("validation");
    const pipeline = this.#device.createComputePipeline(describePipeline(kernel, pipelines, sizes));
    this.#check(async (error) => compileError(kernel, pipelines.module, error.message));
    return pipeline;
  }

  #bindGroup(kernel: KernelDefinition, pipelines: KernelPipelines, ranges: readonly BoundRange[]): GPUBindGroup {
    let key = "";
    for (const { buffer, offset, size } of ranges) key += `${buffer.id}:${offset}:${size},`;
    const known = pipelines.groups.get(key);
    if (known !== undefined) return known;
    const entries: GPUBindGroupEntry[] = ranges.map(({ buffer, offset, size }, binding) => ({
      binding,
      resource: { buffer: buffer.gpu, offset, size },
    }));
    if (kernel.params.length > 0) {
      const size = Math.ceil((kernel.params.length * ELEMENT_BYTES) / BINDING_BYTES) * BINDING_BYTES;
      entries.push({ binding: entries.length, resource: { buffer: this.#params, size } });
    }
    const group = this.#device.createBindGroup({ label: kernel.name, layout: pipelines.bindGroupLayout, entries });
    pipelines.groups.set(key, group);
    for (const { buffer } of ranges) buffer.boundIn.add({ groups: pipelines.groups, key });
    return group;
  }

  /** Byte offset of the slot that holds these words in the current recording. */
  #slotOf(params: readonly number[]): number {
    const key = params.join();
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const offset = this.#slots.size * this.#slotBytes;
    this.#paramWords.set(params, offset / ELEMENT_BYTES);
    this.#slots.set(key, offset);
    return offset;
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
    this.#scoped("validation", "the GPU refused the recorded work", () => {
      // The queue runs this after every earlier submit and before this one, so no slot changes under a dispatch that reads it.
      const used = this.#slots.size * this.#slotBytes;
      if (used > 0) this.#device.queue.writeBuffer(this.#params, 0, this.#paramWords, 0, used / ELEMENT_BYTES);
      this.#device.queue.submit([encoder.finish()]);
    });
    this.#slots.clear();
    this.#recording += 1;
    this.#dispatches = 0;
    this.#invocations = 0;
  }

  /** Does something to the device inside an error scope; what the device objects to becomes the executor's failure. */
  #scoped<T>(filter: GPUErrorFilter, message: string, action: () => T): T {
    this.#device.pushErrorScope(filter);
    const result = action();
    this.#check((error) => new KernelError(`${message}: ${error.message}`));
    return result;
  }

  /** Closes the innermost error scope. */
  #check(describe: (error: GPUError) => KernelError | Promise<KernelError>): void {
    const check = this.#device
      .popErrorScope()
      .then(async (error) => {
        if (error !== null) this.#failure ??= await describe(error);
      })
      // Asking fails only where the device is gone, and its loss is told elsewhere.
      .catch(() => undefined);
    this.#checks.add(check);
    void check.finally(() => this.#checks.delete(check));
  }

  async #reasonOf(error: unknown, checks: readonly Promise<void>[]): Promise<Error> {
    if (this.#lost === undefined && !this.#disposed) {
      await Promise.all(checks);
      if (this.#failure === undefined) await Promise.race([this.#device.lost, new Promise((resolve) => setTimeout(resolve, LOSS_GRACE_MS))]);
    }
    if (this.#lost !== undefined) return this.#lost;
    if (this.#failure !== undefined) return this.#failure;
    if (this.#disposed) return new KernelError("the WebGPU executor was disposed while a read was under way");
    return new KernelError(`the GPU could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }

  #takeStaging(bytes: number): Staging {
    const at = this.#staging.findIndex((staging) => staging.bytes >= bytes && staging.bytes <= bytes * 4);
    const [pooled] = at < 0 ? [] : this.#staging.splice(at, 1);
    if (pooled !== undefined) return pooled;
    const size = Math.max(1024, 2 ** Math.ceil(Math.log2(bytes)));
    return {
      bytes: size,
      buffer: this.#device.createBuffer({ label: `staging ${size}`, size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }),
    };
  }

  #returnStaging(staging: Staging): void {
    if (this.#disposed || this.#staging.length >= MAX_POOLED_STAGING) staging.buffer.destroy();
    else this.#staging.push(staging);
  }
}

function viewOf(kind: ElementKind, bytes: ArrayBuffer): View {
  return kind === "f32" ? new Float32Array(bytes) : new Uint32Array(bytes);
}

function checked(kernel: KernelDefinition, name: string, kind: ElementKind, values: Values): number {
  const value = values[name];
  if (value === undefined) throw new KernelError(`${kernel.name} needs a value for ${name}, got ${Object.keys(values).join(", ") || "none"}`);
  const fits = kind === "f32" ? Number.isFinite(value) : Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
  if (!fits) throw new KernelError(`${kernel.name}: ${name} is ${value}, allowed are ${kind === "f32" ? "finite numbers" : "integers from 0 to 2^32 − 1"}`);
  return value;
}

const constantsOf = (kernel: KernelDefinition, values: Values): Readonly<Record<string, number>> =>
  Object.fromEntries(kernel.sizes.map((name) => [name, checked(kernel, name, "u32", values)]));

const sizesKey = (kernel: KernelDefinition, sizes: Readonly<Record<string, number>>): string =>
  kernel.sizes.map((name) => sizes[name]).join();

const describePipeline = (
  kernel: KernelDefinition, pipelines: KernelPipelines, sizes: Readonly<Record<string, number>>,
): GPUComputePipelineDescriptor => ({
  label: `${kernel.name} ${Object.entries(sizes).map(([name, size]) => `${name}=${size}`).join(" ")}`.trimEnd(),
  layout: pipelines.layout,
  compute: { module: pipelines.module, entryPoint: "main", constants: { ...sizes } },
});

async function compileError(kernel: KernelDefinition, module: GPUShaderModule, message: string): Promise<KernelError> {
  const { messages } = await module.getCompilationInfo();
  const lines = messages.map((entry) => `${kernel.name}/kernel.wgsl:${entry.lineNum}:${entry.linePos} ${entry.type}: ${entry.message}`);
  return new KernelError([`the WGSL form of ${kernel.name} does not compile`, ...(lines.length > 0 ? lines : [message])].join("\n"));
}
