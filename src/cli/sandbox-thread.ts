import { parentPort } from "node:worker_threads";
import { createQuickJsRunner } from "#sandbox/quickjs-runner.ts";
import { serveRuns } from "#sandbox/worker-host.ts";
import type { ToWorker } from "#sandbox/messages.ts";
import { compileEngine } from "./code-runner.ts";

const take = serveRuns(createQuickJsRunner(compileEngine), (message) => parentPort?.postMessage(message));
parentPort?.on("message", (message: ToWorker) => take(message));
