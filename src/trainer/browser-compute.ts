import { wrap } from "comlink";
import type { ComputeUnit } from "#engine/pool/compute-unit.ts";
import type { ComputeThread } from "./compute-pool.ts";

/** A compute thread in a worker of its own. */
export function computeThread(worker: Worker): ComputeThread {
  const whenBroken = new Promise<string>((resolve) => {
    worker.addEventListener("error", (event) => resolve(event.message || "it could not be loaded"));
    worker.addEventListener("messageerror", () => resolve("it sent what cannot be read"));
  });
  return { unit: wrap<ComputeUnit>(worker), whenBroken, end: () => worker.terminate() };
}
