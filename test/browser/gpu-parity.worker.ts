import { KERNELS } from "#engine/kernels/registry.ts";
import { findAdapter } from "#engine/webgpu/probe.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { deviations, type Deviation } from "../unit/engine/parity.ts";

/** What the page is told, in one message. */
export type ParityReport =
  | { readonly kind: "no-adapter"; readonly reason: string }
  | { readonly kind: "compared"; readonly kernels: readonly string[]; readonly deviations: readonly Deviation[]; readonly liveBuffers: number }
  | { readonly kind: "failed"; readonly message: string };

async function compareAll(): Promise<ParityReport> {
  const { report, adapter } = await findAdapter(navigator.gpu);
  if (adapter === undefined) return { kind: "no-adapter", reason: report.kind };
  const device = await adapter.requestDevice();
  const executor = new WebGpuExecutor(device);
  const found: Deviation[] = [];
  for (const kernel of KERNELS) found.push(...(await deviations(executor, kernel)));
  const { liveBuffers } = executor;
  executor.dispose();
  device.destroy();
  return { kind: "compared", kernels: KERNELS.map(({ name }) => name), deviations: found.slice(0, 5), liveBuffers };
}

self.postMessage(await compareAll().catch((error: unknown): ParityReport => ({ kind: "failed", message: String(error) })));
