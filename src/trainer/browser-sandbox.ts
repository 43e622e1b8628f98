import type { CodeRunner } from "#core/environment.ts";
import { cached } from "#sandbox/cached-runner.ts";
import type { FromWorker, SandboxPort } from "#sandbox/messages.ts";
import { createWorkerRunner, endedByTheClock } from "#sandbox/worker-runner.ts";

const portOf = (worker: Worker): SandboxPort => ({
  post: (message) => worker.postMessage(message),
  listen(onMessage, onFailure) {
    worker.addEventListener("message", (event: MessageEvent<FromWorker>) => onMessage(event.data));
    worker.addEventListener("messageerror", () => onFailure("a message could not be read"));
    worker.addEventListener("error", (event) => onFailure(event.message || "it could not be started"));
  },
  terminate: () => worker.terminate(),
});

/** Runs code in a worker of its own, started with the first run; results are remembered here. */
export const sandboxRunner = (start: () => Worker): CodeRunner => cached(createWorkerRunner(() => portOf(start()), {
  timers: {
    after(milliseconds, action) {
      const timer = setTimeout(action, milliseconds);
      return () => clearTimeout(timer);
    },
  },
}), endedByTheClock);
