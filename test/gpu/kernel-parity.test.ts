import { afterAll, describe, expect, it } from "vitest";
import { KERNELS } from "#engine/kernels/registry.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { findDevice } from "./device.ts";
import { deviations } from "./parity.ts";

const device = await findDevice();

describe.skipIf(device === undefined)("the WGSL form of", () => {
  const executor = new WebGpuExecutor(device as GPUDevice);
  afterAll(() => {
    executor.dispose();
    device?.destroy();
  });
  for (const kernel of KERNELS)
    it(`${kernel.name} agrees with its reference`, async () => {
      expect((await deviations(executor, kernel)).slice(0, 5)).toEqual([]);
      expect(executor.liveBuffers).toBe(0);
    });
});
