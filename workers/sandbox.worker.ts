import { compileEngine } from "#sandbox/browser-engine.ts";
import type { ToWorker } from "#sandbox/messages.ts";
import { createQuickJsRunner } from "#sandbox/quickjs-runner.ts";
import { serveRuns } from "#sandbox/worker-host.ts";

/** Runs code that nobody trusts. It may be terminated at any time. */
const take = serveRuns(createQuickJsRunner(compileEngine), (message) => postMessage(message));
globalThis.addEventListener("message", (event: MessageEvent<ToWorker>) => take(event.data));
