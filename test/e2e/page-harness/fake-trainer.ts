import { DeviceLostError, ConfigError } from "#core/errors.ts";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import { createTrainerService } from "#protocol/trainer-service.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { BackendReport, TrainRuntime } from "#trainer/runtime.ts";
import type { RunBatch } from "#trainer/session.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";

export interface FakeTrainer {
  connect(listener: TrainerListener): TrainerLink;
  /** What the page is to see next. */
  crash(): void;
  failAfter(update: number): void;
  loseDeviceAfter(update: number): void;
  /** Milliseconds an update takes. */
  pace(milliseconds: number): void;
}

const backend: BackendReport = {
  backend: "wasm",
  arithmetic: "relaxed",
  reason: "This browser offers no WebGPU adapter, so training runs on the processor. Everything works; a GPU would make larger models faster.",
  options: [
    { backend: "wasm", available: true, detail: "Ready, relaxed SIMD" },
    { backend: "webgpu", available: false, detail: "navigator.gpu gave no adapter" },
  ],
};

/** The page's own thread plays the worker: the service and the session are the real ones, the run is made up. */
export function createFakeTrainer(): FakeTrainer {
  let listening: TrainerListener | null = null;
  let delay = 60;
  let failing: { readonly update: number; readonly error: Error } | null = null;

  async function* events(run: Iterable<RunEvent>, gate: () => Promise<void>): AsyncGenerator<RunEvent, void> {
    for (const event of run) {
      await gate();
      if (event.type === "update") await new Promise((resolve) => setTimeout(resolve, delay));
      yield event;
      if (event.type === "update" && event.update === failing?.update) {
        const { error } = failing;
        failing = null;
        throw error;
      }
    }
  }
  const runtime: TrainRuntime = {
    prepare: async () => backend,
    open: async (config, _choice, gate) => ({
      backend,
      events: events(fakeRun(config), gate),
      snapshot: async () => new Float32Array([1, 2, 3]),
      dispose: () => {},
    }),
  };
  return {
    connect: (listener) => {
      listening = listener;
      const channel = new MessageChannel();
      channel.port1.addEventListener("message", (event: MessageEvent<RunBatch>) => listener.batch(event.data));
      channel.port1.start();
      const { connect, ...service } = createTrainerService(runtime);
      void connect(channel.port2);
      return { ...service, dispose: () => channel.port1.close() };
    },
    crash: () => listening?.crashed({ code: "worker", message: "Uncaught RuntimeError: memory access out of bounds.", detail: {} }),
    failAfter: (update) => {
      failing = { update, error: new ConfigError("the loss is NaN: try a learning rate of 0.000125", { path: "algorithm.learningRate" }) };
    },
    loseDeviceAfter: (update) => {
      failing = { update, error: new DeviceLostError("The GPU process ended.") };
    },
    pace: (milliseconds) => {
      delay = milliseconds;
    },
  };
}
