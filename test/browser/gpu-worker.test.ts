import { expect, test } from "vitest";
import { KERNELS } from "#engine/kernels/registry.ts";
import type { ParityReport } from "./gpu-parity.worker.ts";

const firstMessage = (worker: Worker): Promise<ParityReport> =>
  new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<ParityReport>) => resolve(data));
    worker.addEventListener("error", ({ message }) => reject(new Error(`the worker failed: ${message}`)));
  });

// The tests' browser always has the software adapter, so its absence is a failure and nothing to skip.
test("every kernel agrees with its definition in a dedicated worker of the browser", async () => {
  const worker = new Worker(new URL("./gpu-parity.worker.ts", import.meta.url), { type: "module", name: "gpu-parity" });
  try {
    expect(await firstMessage(worker)).toEqual({ kind: "compared", kernels: KERNELS.map(({ name }) => name), deviations: [], liveBuffers: 0 });
  } finally {
    worker.terminate();
  }
});
