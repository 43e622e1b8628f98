import { expose } from "comlink";
import { createTrainerService } from "#protocol/trainer-service.ts";
import { createTrainRuntime } from "#trainer/browser-runtime.ts";
import { createIdbArchive } from "#trainer/idb-archive.ts";

// A rejection nobody awaits would vanish in here: thrown from a task of its own it reaches the page's `error` listener.
globalThis.addEventListener("unhandledrejection", (event) => {
  setTimeout(() => {
    throw event.reason;
  });
});

const newName = (): string => crypto.getRandomValues(new Uint32Array(2)).join("-");
expose(createTrainerService(createTrainRuntime(() => performance.now()), createIdbArchive({ newName, now: () => Date.now() })));
