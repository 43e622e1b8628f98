import { expect, test, vi } from "vitest";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import type { Reply, StartRequest } from "#protocol/trainer.api.ts";
import { PRESETS } from "#run/run-config.ts";
import { createDraftStore } from "#store/draft-store.ts";
import { createRunController } from "#store/run-controller.ts";
import { createRunStore } from "#store/run-store.ts";
import { createViewStore } from "#store/view-store.ts";
import type { BackendReport } from "#trainer/runtime.ts";
import { started } from "../../fixtures/fake-run.ts";

const config = PRESETS["refund-desk"];
const report: BackendReport = { backend: "wasm", arithmetic: "simd128", reason: "because", options: [] };
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function setUp() {
  const commands: string[] = [];
  const starts: StartRequest[] = [];
  const listeners: TrainerListener[] = [];
  const answer = async (name: string): Promise<Reply<null>> => {
    commands.push(name);
    return { ok: true, value: null };
  };
  const connect = (listener: TrainerListener): TrainerLink => {
    listeners.push(listener);
    return {
      prepare: async () => ({ ok: true, value: report }),
      start: async (request) => {
        starts.push(request);
        commands.push("start");
        return { ok: true, value: report };
      },
      pause: () => answer("pause"), resume: () => answer("resume"), step: () => answer("step"), stop: () => answer("stop"),
      snapshot: async () => ({ ok: false, error: { code: "policy", message: "none", detail: {} } }),
      dispose: () => void commands.push("dispose"),
    };
  };
  const run = createRunStore();
  const draft = createDraftStore(config);
  const view = createViewStore();
  const controller = createRunController({ run, draft, view, connect, drawSeed: () => 99 });
  const batch = (number: number, phase: "running" | "paused") => listeners.at(-1)?.batch({ run: number, phase, events: [started(config)] });
  return { commands, starts, run, draft, controller, batch, listeners };
}

test("the trainer is warmed up as the page opens, and the backend is known before anything runs", async () => {
  const { run } = setUp();
  await settled();
  expect(run.getState()).toMatchObject({ status: "idle", backend: report });
});

test("one button starts, pauses and resumes", async () => {
  const { controller, commands, run, batch } = setUp();
  controller.toggle();
  await settled();
  batch(1, "running");
  controller.toggle();
  await settled();
  batch(1, "paused");
  expect(run.getState().status).toBe("paused");
  controller.toggle();
  await settled();
  expect(commands).toEqual(["start", "pause", "resume"]);
});

test("a step without a run opens one that waits, then goes one update", async () => {
  const { controller, commands, starts } = setUp();
  controller.step();
  await settled();
  expect(starts[0]).toMatchObject({ paused: true, run: 1 });
  expect(commands).toEqual(["start", "step"]);
});

test("batches of a run that was reset are stale", async () => {
  const { controller, run, batch } = setUp();
  controller.toggle();
  await settled();
  controller.reset();
  batch(1, "running");
  expect(run.getState()).toMatchObject({ status: "idle", started: null });
});

test("reset keeps the seed, another seed is drawn on demand", async () => {
  const { controller, draft, starts } = setUp();
  controller.toggle();
  await settled();
  controller.reset();
  controller.toggle();
  await settled();
  controller.newSeed();
  controller.toggle();
  await settled();
  expect(starts.map((start) => start.config.seed)).toEqual([config.seed, config.seed, 99]);
  expect(draft.getState().config.seed).toBe(99);
});

test("invalid settings start nothing", async () => {
  const { controller, draft, starts } = setUp();
  draft.set("algorithm.groupSize", 0);
  controller.toggle();
  controller.step();
  await settled();
  expect(starts).toEqual([]);
});

test("a crash is shown and a new worker takes over", async () => {
  const { controller, run, listeners, commands, starts } = setUp();
  controller.toggle();
  await settled();
  listeners[0]?.crashed({ code: "worker", message: "out of bounds", detail: {} });
  expect(run.getState()).toMatchObject({ status: "failed", error: { message: "out of bounds" } });
  controller.reconnect();
  await vi.waitFor(() => expect(run.getState()).toMatchObject({ status: "idle", error: null, backend: report }));
  expect(listeners).toHaveLength(2);
  expect(commands).toContain("dispose");
  controller.toggle();
  await settled();
  expect(starts).toHaveLength(2);
});
