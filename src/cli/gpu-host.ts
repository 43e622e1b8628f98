import { create, globals } from "webgpu";
import type { Executor } from "#engine/executor.ts";
import { pilot } from "#engine/webgpu/probe.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { findBrowser, vulkanDriver } from "../../scripts/browser.mjs";
import { UsageError } from "./usage-error.ts";

Object.assign(globalThis, globals);

/** Must stay referenced: an adapter's native instance goes with it. */
const instances: GPU[] = [];

async function adapterOf(): Promise<GPUAdapter | null> {
  const gpu = create([]);
  instances.push(gpu);
  return gpu.requestAdapter();
}

/** WebGPU of this machine through Dawn; without a GPU, the software adapter that comes with an installed Chromium. */
export async function openGpuExecutor(): Promise<Executor> {
  let adapter = await adapterOf();
  const driver = adapter === null ? vulkanDriver(await findBrowser()) : undefined;
  if (driver !== undefined) {
    process.env["VK_ICD_FILENAMES"] ??= driver;
    adapter = await adapterOf();
  }
  if (adapter === null) throw new UsageError("--backend webgpu finds no adapter here (on Linux VK_ICD_FILENAMES may name a driver); allowed are wasm and reference");
  const device = await adapter.requestDevice();
  return new WebGpuExecutor(device, { operationsAtOnce: await pilot(device, () => performance.now()) });
}
