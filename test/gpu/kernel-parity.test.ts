import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matmul } from "#engine/kernels/matmul/index.ts";
import { KERNELS } from "#engine/kernels/registry.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { findDevice } from "./device.ts";
import { deviations } from "../unit/engine/parity.ts";

const device = await findDevice();

describe.skipIf(device === undefined)("the WGSL form agrees with the definition:", () => {
  let executor: WebGpuExecutor;
  beforeAll(() => {
    executor = new WebGpuExecutor(device as GPUDevice);
  });
  afterAll(() => {
    executor.dispose();
    device?.destroy();
  });
  it.each(KERNELS.map((kernel) => [kernel.name, kernel] as const))("%s", async (_name, kernel) => {
    expect((await deviations(executor, kernel)).slice(0, 5)).toEqual([]);
    expect(executor.liveBuffers).toBe(0);
  });
  it("not with a wrong sign planted", async () => {
    const planted = { ...matmul, wgsl: matmul.wgsl.replace("lowerRight +=", "lowerRight -=") };
    expect(planted.wgsl).not.toBe(matmul.wgsl);
    expect((await deviations(executor, planted)).length).toBeGreaterThan(0);
  });
});
