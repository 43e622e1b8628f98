import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { CodeRunner } from "#core/environment.ts";
import { cached } from "#sandbox/cached-runner.ts";
import type { FromWorker, SandboxPort } from "#sandbox/messages.ts";
import { createQuickJsRunner } from "#sandbox/quickjs-runner.ts";
import { createWorkerRunner, endedByTheClock } from "#sandbox/worker-runner.ts";

/** The engine that the page runs, from the installed package. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(new Uint8Array(await readFile(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))));
}

/** On this thread: for programs that grew out of our own, which have no built-in that could take long. */
export const codeRunner = (): CodeRunner => cached(createQuickJsRunner(compileEngine));

function startThread(): SandboxPort {
  const thread = new Worker(fileURLToPath(new URL("./sandbox-thread.mjs", import.meta.url)));
  return {
    post: (message) => thread.postMessage(message),
    listen(onMessage, onFailure) {
      thread.on("message", (message: FromWorker) => onMessage(message));
      thread.on("error", ({ message }) => onFailure(message));
    },
    terminate: () => void thread.terminate(),
  };
}

/** On a thread that can be ended by force, after `patience` milliseconds in one run: for code that comes from elsewhere. */
export const threadedCodeRunner = (patience: number): CodeRunner => cached(createWorkerRunner(startThread, {
  patience,
  timers: {
    after(milliseconds, action) {
      const timer = setTimeout(action, milliseconds);
      return () => clearTimeout(timer);
    },
  },
}), endedByTheClock);
