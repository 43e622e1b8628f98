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

/** Pipelines by kernel and sizes; browsers keep no such cache of their own. */
export class Pipelines {
  readonly #device: GPUDevice;
  readonly #watch: ErrorWatch;
  readonly #kernels = new Map<KernelDefinition, CompiledKernel>();

  constructor(device: GPUDevice, watch: ErrorWatch) {
    this.#device = device;
    this.#watch = watch;
  }

  /** Compiles in place where `prepare` did not come first; what does not compile becomes the watch's failure. */
  get(kernel: KernelDefinition, sizes: readonly number[]): GPUComputePipeline {
    const compiled = this.#compiled(kernel);
    const known = compiled.bySizes.get(sizes.join());
    if (known !== undefined) return known;
    const pipeline = this.#watch.scoped(
      "validation",
      () => this.#device.createComputePipeline(describe(kernel, compiled, sizes)),
      (message) => compileError(kernel, compiled.module, message),
    );
    compiled.bySizes.set(sizes.join(), pipeline);
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
