import { DeviceLostError, KernelError, PolicyError } from "#core/errors.ts";
import { layoutOf, type ModelConfig } from "#engine/model.ts";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import { createTrainerService } from "#protocol/trainer-service.ts";
import type { GroupRecord, RunEvent } from "#run/run-event.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunSnapshot } from "#run/run-snapshot.ts";
import { changeFrom } from "#run/settings-changes.ts";
import type { BackendReport, Gate, Resume, TrainRuntime } from "#trainer/runtime.ts";
import type { RunBatch, SessionNote } from "#trainer/run-batch.ts";
import { readRecording } from "#ui/mount.tsx";
import { createFakeLaboratory } from "../../fixtures/fake-laboratory.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";
import { createMemoryArchive } from "../../fixtures/memory-archive.ts";

export interface FakeTrainer {
  connect(listener: TrainerListener): TrainerLink;
  /** What the page is to see next. */
  crash(): void;
  /** Says nothing any more, or speaks again. */
  quiet(isQuiet: boolean): void;
  failAfter(update: number): void;
  runOutOfMemoryAfter(update: number): void;
  loseDeviceAfter(update: number): void;
  fillStorage(): void;
  /** Something the session could have met. */
  tell(note: SessionNote): void;
  /** Milliseconds an update takes. */
  pace(milliseconds: number): void;
  /** From this update on there are up to twenty seconds between updates: time to pause, however busy the machine. */
  slowAfter(update: number): void;
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

const gpu: BackendReport = { backend: "webgpu", arithmetic: "webgpu", reason: "WebGPU was chosen", options: backend.options };

const model: ModelConfig = { layers: 1, width: 16, context: 8, vocabulary: 4, valueHead: false };
const weights = new Float32Array(layoutOf(model).parameters).fill(0.5);
const policy = { weights, first: weights, second: weights, step: 1 };

/** What a page that ended after update 12 left behind. */
function leftRun(): { snapshot: RunSnapshot; events: RunEvent[] } {
  const config = { ...PRESETS["refund-desk"], seed: 77 };
  const all = [...fakeRun(config)];
  const end = all.findIndex((event) => event.type === "update" && event.update === 12) + 1;
  return { snapshot: { name: "left", config, arithmetic: "relaxed", update: 12, trajectories: 3072, tokens: 117_600, policy }, events: all.slice(0, end) };
}

function recordedGroup(groupId: string): { readonly update: number; readonly group: GroupRecord } | undefined {
  const recording = readRecording();
  return recording?.group.groupId === groupId ? { update: 0, group: recording.group } : undefined;
}

/** The page's own thread plays the worker: the service and the session are the real ones, the run is made up. */
export function createFakeTrainer(): FakeTrainer {
  let listening: TrainerListener | null = null;
  let hangUp = (): void => {};
  let run = 0;
  let delay = 60;
  let slowAfter = Infinity;
  const groups = new Map<string, { readonly update: number; readonly group: GroupRecord }>();
  const laboratory = createFakeLaboratory((groupId) => groups.get(groupId) ?? recordedGroup(groupId));
  let failing: { readonly update: number; readonly error: Error } | null = null;
  const archive = createMemoryArchive();
  if (location.search === "?left") archive.runs.set("left", leftRun());

  async function* events(config: RunConfig, gate: Gate, resume: Resume | null): AsyncGenerator<RunEvent, void> {
    let isPast = resume !== null;
    const change = resume === null ? null : changeFrom(resume, config);
    if (change !== null) yield change;
    for (const event of fakeRun(config)) {
      const isEnd = isPast && event.type === "update" && event.update === resume?.update;
      if (isPast) {
        isPast = !isEnd;
        continue;
      }
      await gate();
      if (event.type === "update") await new Promise((resolve) => setTimeout(resolve, delay));
      if (event.type === "group") groups.set(event.group.groupId, event);
      yield event;
      for (let waited = 0; event.type === "update" && event.update >= slowAfter && waited < 20_000; waited += 50) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        await gate();
      }
      if (event.type === "update" && event.update === failing?.update) {
        const { error } = failing;
        failing = null;
        throw error;
      }
    }
  }
  const runtime: TrainRuntime = {
    prepare: async () => backend,
    open: async (config, choice, gate, resume) => ({
      backend: choice === "webgpu" ? gpu : backend,
      events: events(config, gate, resume),
      laboratory,
      model,
      snapshot: async () => weights.slice(),
      exportState: async () => policy,
      dispose: () => {},
    }),
    study: async () => laboratory,
    replay: () => Promise.reject(new Error("nothing is replayed here")),
    playTask: () => Promise.reject(new Error("nothing is played here")),
  };
  return {
    connect: (listener) => {
      listening = listener;
      const channel = new MessageChannel();
      channel.port1.addEventListener("message", (event: MessageEvent<RunBatch>) => listener.batch(event.data));
      channel.port1.start();
      hangUp = () => channel.port1.close();
      const { connect, ping: _, ...service } = createTrainerService(runtime, archive);
      void connect(channel.port2);
      return {
        ...service,
        start: (request) => {
          run = request.run;
          return service.start(request);
        },
        dispose: () => channel.port1.close(),
      };
    },
    crash: () => {
      hangUp();
      listening?.crashed({ code: "worker", message: "Uncaught RuntimeError: memory access out of bounds.", detail: {} });
    },
    quiet: (isQuiet) => listening?.quiet(isQuiet),
    failAfter: (update) => {
      const detail = { fault: "not-finite", setting: "algorithm.learningRate", value: 0.000125 };
      failing = { update, error: new PolicyError("the loss is NaN: try a learning rate of 0.000125", detail) };
    },
    runOutOfMemoryAfter: (update) => {
      failing = { update, error: new KernelError("out of memory: 300 MB more than the 1900 MB in use do not fit", { fault: "out-of-memory" }) };
    },
    loseDeviceAfter: (update) => {
      failing = { update, error: new DeviceLostError("The GPU process ended.") };
    },
    fillStorage: () => archive.fill(),
    tell: (note) => listening?.batch({ run, phase: note.type === "device-lost" ? "recovering" : "paused", events: [], notes: [note] }),
    pace: (milliseconds) => {
      delay = milliseconds;
    },
    slowAfter: (update) => {
      slowAfter = update;
    },
  };
}
