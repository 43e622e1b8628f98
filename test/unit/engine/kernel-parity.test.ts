import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { KERNELS } from "#engine/kernels/registry.ts";
import { expectParity } from "./parity.ts";
import { wasmExecutor } from "./wasm-modules.ts";

describe.each(["simd128", "relaxed"] as const)("WASM kernels, %s", (flavour) => {
  test.each(KERNELS.map((kernel) => [kernel.name, kernel] as const))("%s", async (name, kernel) => {
    const executor = await wasmExecutor(flavour);
    const cases = kernel.cases(createRng(1).fork(name));
    expect(cases.length).toBeGreaterThanOrEqual(3);
    for (const kernelCase of cases) await expectParity(executor, kernel, kernelCase);
    expect(executor.liveBuffers).toBe(0);
  });
});
