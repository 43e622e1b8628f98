import { KernelError } from "#core/errors.ts";
import type { KernelDefinition } from "../kernel.ts";
import type { ErrorWatch } from "./error-watch.ts";
import prelude from "./prelude.wgsl?raw";

interface CompiledKernel {
  readonly module: GPUShaderModule;
  readonly layout: GPUPipelineLayout;
  readonly bindGroupLayout: GPUBindGroupLayout;
  readonly bySizes: Map<string, GPUComputePipeline>;
}

/** Pipelines by kernel and sizes, for all who work on a device; browsers keep no such cache of their own. */
export class Pipelines {
  static readonly #ofDevices = new WeakMap<GPUDevice, Pipelines>();
  readonly #device: GPUDevice;
  readonly #kernels = new Map<KernelDefinition, CompiledKernel>();

  private constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** They go with the device. */
  static of(device: GPUDevice): Pipelines {
    const known = Pipelines.#ofDevices.get(device) ?? new Pipelines(device);
    Pipelines.#ofDevices.set(device, known);
    return known;
  }

  /** Compiles in place where `prepare` did not come first; what does not compile becomes the watch's failure, and is tried again by the next. */
  get(kernel: KernelDefinition, sizes: readonly number[], watch: ErrorWatch): GPUComputePipeline {
    const compiled = this.#compiled(kernel);
    const key = sizes.join();
    const known = compiled.bySizes.get(key);
    if (known !== undefined) return known;
    const pipeline = watch.scoped(
      "validation",
      () => this.#device.createComputePipeline(describe(kernel, compiled, sizes)),
      (message) => {
        compiled.bySizes.delete(key);
        return compileError(kernel, compiled.module, message);
      },
    );
    compiled.bySizes.set(key, pipeline);
    return pipeline;
  }

  /** @throws KernelError with the compiler's messages */
  async prepare(kernel: KernelDefinition, sizes: readonly number[]): Promise<void> {
    const compiled = this.#compiled(kernel);
    const key = sizes.join();
    if (compiled.bySizes.has(key)) return;
    const pipeline = await this.#device.createComputePipelineAsync(describe(kernel, compiled, sizes)).catch(async (error: unknown) => {
      throw await compileError(kernel, compiled.module, error instanceof Error ? error.message : String(error));
    });
    if (!compiled.bySizes.has(key)) compiled.bySizes.set(key, pipeline);
  }

  bindGroupLayout(kernel: KernelDefinition): GPUBindGroupLayout {
    return this.#compiled(kernel).bindGroupLayout;
  }

  #compiled(kernel: KernelDefinition): CompiledKernel {
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
    const layout = this.#device.createPipelineLayout({ label: kernel.name, bindGroupLayouts: [bindGroupLayout] });
    const compiled: CompiledKernel = { module, layout, bindGroupLayout, bySizes: new Map() };
    this.#kernels.set(kernel, compiled);
    return compiled;
  }
}

function describe(kernel: KernelDefinition, { module, layout }: CompiledKernel, sizes: readonly number[]): GPUComputePipelineDescriptor {
  const constants = Object.fromEntries(kernel.sizes.map((name, index) => [name, sizes[index] ?? 0]));
  const label = [kernel.name, ...Object.entries(constants).map(([name, size]) => `${name}=${size}`)].join(" ");
  return { label, layout, compute: { module, entryPoint: "main", constants } };
}

async function compileError(kernel: KernelDefinition, module: GPUShaderModule, message: string): Promise<KernelError> {
  const { messages } = await module.getCompilationInfo();
  const lines = messages.map((entry) => `${kernel.name}/kernel.wgsl:${entry.lineNum}:${entry.linePos} ${entry.type}: ${entry.message}`);
  return new KernelError([`the WGSL form of ${kernel.name} does not compile`, ...(lines.length > 0 ? lines : [message])].join("\n"));
}
