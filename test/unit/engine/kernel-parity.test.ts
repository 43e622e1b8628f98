import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { KERNELS } from "#engine/kernels/registry.ts";
import { deviations } from "./parity.ts";
import { wasmExecutor } from "./wasm-modules.ts";

describe.each(["simd128", "relaxed"] as const)("WASM kernels, %s", (flavour) => {
  test.each(KERNELS.map((kernel) => [kernel.name, kernel] as const))("%s", async (name, kernel) => {
    const executor = await wasmExecutor(flavour);
    expect(kernel.cases(createRng(1).fork(name)).length).toBeGreaterThanOrEqual(3);
    expect(await deviations(executor, kernel)).toEqual([]);
    expect(executor.liveBuffers).toBe(0);
  });
});
