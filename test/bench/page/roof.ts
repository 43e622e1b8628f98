import relaxedRoof from "../roof/relaxed.wasm?url";
import simd128Roof from "../roof/simd128.wasm?url";
import multiplyAdd from "../roof/multiply-add.wgsl?raw";
import { findAdapter } from "#engine/webgpu/probe.ts";

export interface Roof {
  /** Billions of operations a second, a multiply-add counted as two. */
  readonly gflops: number;
  /** Read and written. */
  readonly gigabytes: number;
}

const COPIED = 64 << 20;

/** One core's roof in WASM: twelve chains of multiply-adds; a copy of 64 MB. */
export async function wasmRoof(flavour: "simd128" | "relaxed"): Promise<Roof> {
  const memory = new WebAssembly.Memory({ initial: (2 * COPIED) / 65536 + 1 });
  const { instance } = await WebAssembly.instantiateStreaming(fetch(flavour === "relaxed" ? relaxedRoof : simd128Roof), { env: { memory, abort: () => undefined } });
  const { multiplyAdd: run, copy } = instance.exports;
  if (typeof run !== "function" || typeof copy !== "function") throw new Error("the roof module lacks its kernels");
  const rounds = 1_000_000;
  run(rounds);
  const since = performance.now();
  run(10 * rounds);
  const seconds = (performance.now() - since) / 1000;
  copy(65536, 65536 + COPIED, COPIED);
  const copySince = performance.now();
  copy(65536, 65536 + COPIED, COPIED);
  return { gflops: (10 * rounds * 12 * 4 * 2) / seconds / 1e9, gigabytes: (2 * COPIED) / ((performance.now() - copySince) / 1000) / 1e9 };
}

/** The adapter's roof in multiply-adds; null without an adapter. */
export async function webgpuRoof(): Promise<Pick<Roof, "gflops"> | null> {
  const { adapter } = await findAdapter(navigator.gpu);
  if (adapter === undefined) return null;
  const device = await adapter.requestDevice();
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module: device.createShaderModule({ code: multiplyAdd }), entryPoint: "main" } });
  const invocations = 64 * 256;
  const out = device.createBuffer({ size: invocations * 16, usage: GPUBufferUsage.STORAGE });
  const rounds = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: out } }, { binding: 1, resource: { buffer: rounds } }] });
  const run = async (count: number): Promise<number> => {
    device.queue.writeBuffer(rounds, 0, Uint32Array.of(count, 0, 0, 0));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(invocations / 64);
    pass.end();
    const since = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - since) / 1000;
  };
  await run(100);
  // As many rounds as take about a tenth of a second.
  const pilot = await run(1_000);
  const count = Math.max(1_000, Math.floor((1_000 * 0.1) / pilot));
  const seconds = await run(count);
  device.destroy();
  return { gflops: (invocations * count * 8 * 4 * 2) / seconds / 1e9 };
}
