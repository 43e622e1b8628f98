import { expose } from "comlink";
import { afterEach, expect, test, vi } from "vitest";
import { connectTrainer, type TrainerListener } from "#protocol/connect.ts";
import { createTrainerService } from "#protocol/trainer-service.ts";
import type { TrainerApi } from "#protocol/trainer.api.ts";
import { PRESETS } from "#run/run-config.ts";
import type { WireError } from "#run/wire-error.ts";
import type { BackendReport, TrainRuntime } from "#trainer/runtime.ts";
import type { RunBatch } from "#trainer/run-batch.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";
import { createFakeLaboratory } from "../../fixtures/fake-laboratory.ts";
import { createMemoryArchive } from "../../fixtures/memory-archive.ts";

const config = { ...PRESETS["refund-desk"], updates: 2 };
const backend: BackendReport = { backend: "wasm", arithmetic: "simd128", reason: "", options: [] };

const runtime: TrainRuntime = {
  study: async () => createFakeLaboratory(() => undefined),
  replay: () => Promise.reject(new Error("nothing is replayed here")),
  playTask: () => Promise.reject(new Error("nothing is played here")),
  prepare: async () => backend,
  open: async () => ({
    backend,
    events: (async function* () {
      yield* fakeRun(config);
    })(),
    model: { layers: 1, width: 16, context: 8, vocabulary: 4, valueHead: false },
    snapshot: async () => new Float32Array([1, 2, 3]),
    laboratory: createFakeLaboratory(() => undefined),
    exportState: async () => ({ weights: new Float32Array(3), first: new Float32Array(3), second: new Float32Array(3), step: 1 }),
    dispose: () => {},
  }),
};

/** A worker that lives in this thread: the same messages, one port each way. */
class NearWorker extends EventTarget implements Worker {
  onmessage = null;
  onmessageerror = null;
  onerror = null;
  terminated = false;
  readonly #port: MessagePort;
  constructor(api: TrainerApi) {
    super();
    const channel = new MessageChannel();
    this.#port = channel.port1;
    this.#port.addEventListener("message", (event) => this.dispatchEvent(new MessageEvent("message", { data: event.data })));
    this.#port.start();
    expose(api, channel.port2);
    opened.push(channel.port1, channel.port2);
  }
  postMessage(message: unknown, options: Transferable[] | StructuredSerializeOptions = []): void {
    this.#port.postMessage(message, Array.isArray(options) ? options : (options.transfer ?? []));
  }
  terminate(): void {
    this.terminated = true;
  }
}

const opened: MessagePort[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const port of opened.splice(0)) port.close();
});

function setUp(api: TrainerApi = createTrainerService(runtime, createMemoryArchive())) {
  const batches: RunBatch[] = [];
  const crashes: WireError[] = [];
  const quiet: boolean[] = [];
  const worker = new NearWorker(api);
  const listener: TrainerListener = { batch: (batch) => batches.push(batch), crashed: (error) => crashes.push(error), quiet: (isQuiet) => quiet.push(isQuiet) };
  return { link: connectTrainer(listener, () => worker), worker, batches, crashes, quiet };
}

const silent = (): Promise<never> => new Promise(() => {});
const connected = async () => ({ ok: true, value: null }) as const;

test("commands go one way and plain events the other", async () => {
  const { link, batches } = setUp();
  expect(await link.prepare(config, "automatic")).toEqual({ ok: true, value: backend });
  expect(await link.start({ run: 1, config, backend: "automatic", paused: false, resume: null })).toEqual({ ok: true, value: backend });
  await vi.waitFor(() => expect(batches.at(-1)?.phase).toBe("finished"));
  expect(batches.flatMap(({ events }) => events)).toEqual([...fakeRun(config)]);
  const snapshot = await link.snapshot();
  expect(snapshot).toMatchObject({ ok: true, value: { weights: new Float32Array([1, 2, 3]) } });
  link.dispose();
});

test("what goes wrong in the worker comes back as data", async () => {
  const { link } = setUp();
  expect(await link.snapshot()).toEqual({ ok: false, error: { code: "policy", message: expect.stringContaining("no run"), detail: {} } });
  link.dispose();
});

test("a crash settles what was pending, says so once, and ends the worker", async () => {
  const { link, worker, crashes } = setUp({ ...createTrainerService(runtime, createMemoryArchive()), start: silent });
  const pending = link.start({ run: 1, config, backend: "automatic", paused: false, resume: null });
  const crash = Object.assign(new Event("error"), { message: "out of bounds" });
  worker.dispatchEvent(crash);
  worker.dispatchEvent(crash);
  const error = { code: "worker", message: "out of bounds", detail: {} };
  expect(await pending).toEqual({ ok: false, error });
  expect(await link.pause()).toEqual({ ok: false, error });
  expect(crashes).toEqual([error]);
  expect(worker.terminated).toBe(true);
});

test("a worker that cannot be loaded has words of its own", () => {
  const { worker, crashes } = setUp();
  worker.dispatchEvent(new Event("error"));
  expect(crashes[0]?.message).toBe("The trainer worker could not be started.");
});

test("a call that is never answered gives up", async () => {
  vi.useFakeTimers();
  const { link } = setUp({ ...createTrainerService(runtime, createMemoryArchive()), connect: connected, pause: silent });
  const answer = link.pause();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await answer).toMatchObject({ ok: false, error: { code: "timeout", message: expect.stringContaining("“pause” within 10 seconds") } });
  link.dispose();
});

test("disposing settles what was pending without a word to the listener", async () => {
  const { link, worker, crashes } = setUp({ ...createTrainerService(runtime, createMemoryArchive()), start: silent });
  const pending = link.start({ run: 1, config, backend: "automatic", paused: false, resume: null });
  link.dispose();
  expect(await pending).toMatchObject({ ok: false, error: { code: "disposed" } });
  expect(crashes).toEqual([]);
  expect(worker.terminated).toBe(true);
});

test("a call is not given up because the page was frozen meanwhile", async () => {
  vi.useFakeTimers();
  const { link } = setUp({ ...createTrainerService(runtime, createMemoryArchive()), connect: connected, pause: silent });
  const now = vi.spyOn(performance, "now");
  let settled = false;
  const answer = link.pause().then(() => {
    settled = true;
  });
  now.mockReturnValue(performance.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(settled).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  await answer;
  now.mockRestore();
  link.dispose();
});

test("a worker that was killed is noticed while it should be training, and one that was only busy is forgiven", async () => {
  vi.useFakeTimers();
  let answerPing = (): void => {};
  const held = { ...createTrainerService(runtime, createMemoryArchive()), connect: connected, start: silent, ping: () => new Promise<{ ok: true; value: null }>((resolve) => {
    answerPing = () => resolve({ ok: true, value: null });
  }) };
  const { link, quiet } = setUp(held);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(quiet).toEqual([]);
  void link.start({ run: 1, config, backend: "automatic", paused: false, resume: null });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(quiet).toEqual([]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(quiet).toEqual([true]);
  vi.useRealTimers();
  answerPing();
  await vi.waitFor(() => expect(quiet).toEqual([true, false]));
  link.dispose();
});
