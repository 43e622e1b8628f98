import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
import { createBrowserFiles } from "../browser-files.ts";
import { sandboxRunner } from "../browser-sandbox.ts";
import { Examiner } from "./examiner.ts";
import type { FromPlayer, PlayerPort } from "./messages.ts";

const portOf = (worker: Worker): PlayerPort => ({
  post: (message) => worker.postMessage(message),
  listen(onMessage, onFailure) {
    worker.addEventListener("message", (event: MessageEvent<FromPlayer>) => onMessage(event.data));
    worker.addEventListener("messageerror", () => onFailure("a message could not be read"));
    worker.addEventListener("error", (event) => {
      // Heard here: it is no fault of the thread this runs on.
      event.preventDefault();
      onFailure(event.message || "its worker could not be started");
    });
  },
  terminate: () => worker.terminate(),
});

/** The page's examiner: models and foreign code each in a worker of their own, the native engine on this thread. */
export function createBrowserExaminer(workers: { player(): Worker; sandbox(): Worker }): Examiner {
  const files = createBrowserFiles();
  return new Examiner({
    executor: async () => createWasmExecutor(await files.kernels(), "simd128"),
    base: (preset) => files.base(preset),
    queue: {
      spawn: () => portOf(workers.player()),
      after(milliseconds, action) {
        const timer = setTimeout(action, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    services: { codeRunner: sandboxRunner(() => workers.sandbox()) },
  });
}
