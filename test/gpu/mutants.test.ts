import { describe, expect, it } from "vitest";
import { KERNELS } from "#engine/kernels/registry.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { findDevice } from "./device.ts";
import { deviations } from "./parity.ts";
const device = (await findDevice()) as GPUDevice;
describe("mutants", () => {
  for (const kernel of KERNELS)
    it(kernel.name, async () => {
      const text = kernel.wgsl;
      const lines = text.split("\n");
      let tried = 0;
      for (const [n, line] of lines.entries()) {
        if (line.startsWith("//") || line.includes("for (") || line.startsWith("@group") || line.startsWith("const")|| line.startsWith("fn") || /seen =|shardStarts|let run|start =|let end|index \/ |linear_index/.test(line)) continue;
        for (const [from, to] of [[" += ", " -= "], [" + ", " - "], [" - ", " + "], [" * ", " + "], [">=", ">"], [" / ", " * "], [" > ", " >= "], ["==", "!="]] as const) {
          let at = line.indexOf(from);
          while (at >= 0) {
            const mutated = [...lines];
            mutated[n] = line.slice(0, at) + to + line.slice(at + from.length);
            const executor = new WebGpuExecutor(device);
            tried += 1;
            try {
              const found = await deviations(executor, { ...kernel, wgsl: mutated.join("\n") });
              if (found.length === 0) console.log("SURVIVED", kernel.name, n + 1, mutated[n]);
            } catch (error) { if (!String(error).includes("does not compile")) console.log("ERR", kernel.name, n+1, mutated[n], String(error).slice(0, 200)); }
            executor.dispose();
            at = line.indexOf(from, at + 1);
          }
        }
      }
      console.log(kernel.name, tried);
      expect(true).toBe(true);
    }, 200_000);
});
