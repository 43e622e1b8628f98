import type { Executor } from "#engine/executor.ts";
import { UsageError } from "./usage-error.ts";

/** WebGPU of this machine through Dawn. */
export async function openGpuExecutor(): Promise<Executor> {
  throw new UsageError("not yet");
}
