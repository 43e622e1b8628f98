import { expose } from "comlink";
import { createTrainerService } from "#protocol/trainer-service.ts";
import { createTrainRuntime } from "#trainer/browser-runtime.ts";
import { sandboxRunner } from "#trainer/browser-sandbox.ts";
import { computeThread } from "#trainer/browser-compute.ts";
import { threadsFor } from "#trainer/compute-pool.ts";
import { createPolicyShelf } from "#trainer/library/policy-shelf.ts";
import { createIdbArchive } from "#trainer/idb-archive.ts";

// A rejection nobody awaits would vanish in here: thrown from a task of its own it reaches the page's `error` listener.
globalThis.addEventListener("unhandledrejection", (event) => {
  setTimeout(() => {
    throw event.reason;
  });
});

const newName = (): string => crypto.getRandomValues(new Uint32Array(2)).join("-");
const compute = {
  threads: threadsFor(navigator.hardwareConcurrency) - 1,
  spawn: () => computeThread(new Worker(new URL("./compute.worker.ts", import.meta.url), { type: "module", name: "compute" })),
  wait: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
};
const services = { codeRunner: sandboxRunner(() => new Worker(new URL("./sandbox.worker.ts", import.meta.url), { type: "module", name: "sandbox" })) };
const policies = createPolicyShelf();
const runtime = createTrainRuntime(() => performance.now(), compute, services, policies);
expose(createTrainerService(runtime, createIdbArchive({ newName, now: () => Date.now() }), policies));
