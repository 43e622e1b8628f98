import { expect, test, vi } from "vitest";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import type { Reply } from "#protocol/trainer.api.ts";
import { PRESETS } from "#run/run-config.ts";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import type { KeptRun, RunSnapshot } from "#run/run-snapshot.ts";
import type { Visibility } from "#store/paced-store.ts";
import { createDraftStore } from "#store/draft-store.ts";
import { createRunController, type RunController } from "#store/run-controller.ts";
import { createRunStore } from "#store/run-store.ts";
import { createStartGate } from "#store/start-gate.ts";
import { createViewStore } from "#store/view-store.ts";
import type { RunBatch, StartRequest } from "#trainer/run-batch.ts";
import type { BackendReport } from "#trainer/runtime.ts";
import { fakeRun, started } from "../../fixtures/fake-run.ts";

const config = PRESETS["refund-desk"];
const report: BackendReport = { backend: "wasm", arithmetic: "simd128", reason: "because", options: [] };
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function setUp(offer: KeptRun | null = null) {
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
      checkpoint: async () => ({ ok: false, error: { code: "policy", message: "none", detail: {} } }),
      setPace: (milliseconds) => answer(`pace ${milliseconds}`), setHidden: (isHidden) => answer(`hidden ${isHidden}`), forget: (name) => answer(`forget ${name}`), retryStorage: () => answer("retry"), addPolicy: async () => ({ ok: true, value: "file:0" }),
      kept: async () => ({ ok: true, value: offer }),
      assess: async () => ({ ok: true, value: null }), forkOptions: async () => ({ ok: true, value: null }), fork: async () => ({ ok: true, value: null }),
      replay: () => Promise.reject(new Error("nothing is replayed here")),
      playTask: () => Promise.reject(new Error("nothing is played here")),
      dispose: () => void commands.push("dispose"),
    };
  };
  const run = createRunStore();
  const draft = createDraftStore(config);
  const view = createViewStore();
  const seen = { isHidden: false, listeners: new Set<() => void>() };
  const gate = createStartGate();
  const visibility: Visibility = {
    hidden: () => seen.isHidden,
    subscribe: (listener) => {
      seen.listeners.add(listener);
      return () => seen.listeners.delete(listener);
    },
  };
  const controller = createRunController({ run, draft, view, gate, visibility, connect, drawSeed: () => 99 });
  const send = (batch: Partial<RunBatch>) => listeners.at(-1)?.batch({ run: run.getState().run, phase: "running", events: [], notes: [], ...batch });
  const batch = (number: number, phase: "running" | "paused") => send({ run: number, phase, events: [started(config)] });
  const hide = (isHidden: boolean): void => {
    seen.isHidden = isHidden;
    for (const listener of seen.listeners) listener();
  };
  return { commands, starts, run, draft, gate, controller, batch, send, hide, listeners };
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

test("a run that is asked for before the settings are known starts with what they come to be, if they are valid", async () => {
  for (const [groupSize, sizes] of [[4, [4]], [1, []]] as const) {
    const { controller, draft, gate, starts } = setUp();
    gate.hold("link");
    controller.toggle();
    await settled();
    expect(starts).toEqual([]);
    draft.set("algorithm.groupSize", groupSize);
    gate.release("link");
    await settled();
    expect(starts.map(({ config: { algorithm } }) => algorithm.groupSize)).toEqual(sizes);
  }
});

test.each([
  ["another press", (controller: RunController) => controller.toggle()],
  ["a reset", (controller: RunController) => controller.reset()],
  ["a new seed", (controller: RunController) => controller.newSeed()],
])("a run that waits for its settings is called off by %s", async (_name, command) => {
  const { controller, gate, starts } = setUp();
  gate.hold("link");
  controller.toggle();
  command(controller);
  gate.release("link");
  await settled();
  expect(starts).toEqual([]);
});

test("a stored run that is opened meanwhile is not followed by the one that waited", async () => {
  const { controller, gate, starts } = setUp();
  gate.hold("link");
  controller.toggle();
  controller.openStored(config, { kind: "kept", name: "stored" });
  gate.release("link");
  await settled();
  expect(starts.map(({ resume }) => resume)).toEqual([{ kind: "kept", name: "stored" }]);
});

test("a step without a run opens one that waits, then goes one update", async () => {
  const { controller, commands, starts } = setUp();
  controller.step();
  await settled();
  expect(starts[0]).toMatchObject({ paused: true, run: 1 });
  expect(commands).toEqual(["start", "step"]);
});

test("a step that is asked for while the run starts is the trainer's to count", async () => {
  const { controller, commands } = setUp();
  controller.step();
  controller.step();
  await settled();
  expect(commands.toSorted()).toEqual(["start", "step", "step"]);
});

test("who starts the next run as the last one ends gets none of its events", async () => {
  const { controller, run, send } = setUp();
  controller.toggle();
  await settled();
  const events = [...fakeRun({ ...config, updates: 2 })];
  run.subscribe(({ status }, before) => {
    if (status === "finished" && before.status !== "finished") controller.startWith({ ...config, seed: 8 });
  });
  send({ events: events.slice(0, -1) });
  send({ phase: "finished", events: events.slice(-1) });
  expect(run.getState()).toMatchObject({ run: 2, status: "starting" });
  expect(controller.events()).toEqual([]);
  send({ events: events.slice(0, 1) });
  expect(controller.events()).toEqual(events.slice(0, 1));
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

const policy = { weights: new Float32Array([1]), first: new Float32Array([2]), second: new Float32Array([3]), step: 4 };
const snapshotOf = (update: number): RunSnapshot => ({ name: "a", config, arithmetic: "simd128", update, trajectories: 256 * update, tokens: 9 * update, policy });
/** Events up to and with the `update` event of each. */
function eventsTo(update: number): RunEvent[] {
  const events: RunEvent[] = [];
  for (const event of fakeRun(config)) {
    events.push(event);
    if (event.type === "update" && event.update === update) break;
  }
  return events;
}

/** A run that was kept after update 5 and went on to update 7, of which the next group is on screen already. */
async function runTo7() {
  const all = setUp();
  all.controller.toggle();
  await settled();
  const [five, seven] = [eventsTo(5), eventsTo(7)];
  all.send({ events: five, notes: [{ type: "kept", snapshot: snapshotOf(5) }] });
  const at5 = all.run.getState();
  all.send({ events: seven.slice(five.length) });
  return { ...all, at5 };
}

test("after a crash the run goes on from the last kept update in a new worker, and shows what it showed then", async () => {
  const { controller, run, listeners, starts, at5, draft } = await runTo7();
  expect(run.getState()).toMatchObject({ update: 7, safety: { kept: 5 } });
  listeners[0]?.crashed({ code: "worker", message: "out of bounds", detail: {} });
  draft.set("algorithm.groupSize", 4);
  controller.goOn();
  await settled();
  expect(listeners).toHaveLength(2);
  expect(starts.at(-1)).toMatchObject({ run: 2, config, paused: false, resume: { kind: "snapshot", snapshot: { update: 5, policy: { step: 4 } } } });
  const state = run.getState();
  expect(state).toMatchObject({ run: 2, update: 5, error: null, series: at5.series, heldout: at5.heldout });
  expect(state.groups).toEqual(at5.groups);
});

test("what was under way when a snapshot was taken is taken back, and comes again", async () => {
  const { controller, run, send } = setUp();
  controller.toggle();
  await settled();
  const six = eventsTo(6);
  const early = six.slice(0, six.findIndex((event) => event.type === "group" && event.update === 6) + 1);
  send({ events: early, notes: [{ type: "kept", snapshot: snapshotOf(5) }] });
  controller.goOn();
  expect(run.getState().groups.map(({ update }) => update)).toEqual([1, 2, 3, 4, 5]);
  send({ events: six.slice(early.length - 1) });
  expect(run.getState().groups.map(({ update }) => update)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(run.getState().series.points).toHaveLength(6);
});

test("a snapshot that does not belong to what is shown is not gone on from", async () => {
  const { controller, run, send, starts } = setUp();
  controller.toggle();
  await settled();
  send({ events: eventsTo(6), notes: [{ type: "kept", snapshot: snapshotOf(5) }] });
  expect(run.getState().safety.kept).toBeNull();
  controller.goOn();
  expect(starts).toHaveLength(1);
});

test("a lost device takes the page back with the worker, and both go on", async () => {
  const { run, send, at5 } = await runTo7();
  send({ phase: "recovering", notes: [{ type: "device-lost", update: 5, message: "gone" }] });
  expect(run.getState()).toMatchObject({ status: "recovering", run: 1, update: 5, series: at5.series, safety: { recovery: { update: 5, message: "gone", backend: null } } });
  send({ notes: [{ type: "recovered", update: 5, backend: report }] });
  expect(run.getState()).toMatchObject({ status: "running", backend: report, safety: { recovery: { backend: report } } });
});

test("a device lost before anything was kept takes the page back to the start", async () => {
  const { controller, run, send } = setUp();
  controller.toggle();
  await settled();
  send({ events: eventsTo(1).slice(0, 2), notes: [{ type: "device-lost", update: 0, message: "gone" }], phase: "recovering" });
  expect(run.getState()).toMatchObject({ status: "recovering", update: 0, groups: [] });
  send({ events: eventsTo(1), notes: [{ type: "recovered", update: 0, backend: report }] });
  expect(run.getState()).toMatchObject({ status: "running", update: 1 });
});

test("a loss that is not finite is gone on from with the learning rate it asks for", async () => {
  const { controller, run, send, starts, draft } = await runTo7();
  const error = { code: "policy", message: "the loss is NaN", detail: { setting: "algorithm.learningRate", value: 0.000125 } };
  send({ phase: "failed", events: [{ type: "run-failed", update: 7, error }] });
  expect(run.getState()).toMatchObject({ status: "failed", failedAt: 8 });
  controller.applyRemedy();
  await settled();
  expect(starts.at(-1)).toMatchObject({ config: { algorithm: { learningRate: 0.000125 } }, resume: { kind: "snapshot", snapshot: { update: 5 } } });
  expect(draft.getState().config.algorithm.learningRate).toBe(0.000125);
  expect(run.getState()).toMatchObject({ update: 5, failedAt: null, config: { algorithm: { learningRate: 0.000125 } } });
});

test("out of memory before the first update: the smaller value and a new start", async () => {
  const { controller, send, starts } = setUp();
  controller.toggle();
  await settled();
  send({ phase: "failed", events: [{ type: "run-failed", update: 0, error: { code: "kernel", message: "out of memory", detail: { setting: "algorithm.groupsPerUpdate", value: 16 } } }] });
  controller.applyRemedy();
  await settled();
  expect(starts.at(-1)).toMatchObject({ config: { algorithm: { groupsPerUpdate: 16 } }, resume: null });
});

test("a run that an ended page left behind is offered, goes on with its own settings, or is forgotten", async () => {
  const offer: KeptRun = { name: "old", config: { ...config, seed: 77 }, update: 40, savedAt: 5 };
  const { controller, run, starts, draft } = setUp(offer);
  await settled();
  expect(run.getState().safety.offer).toEqual(offer);
  controller.goOn();
  await settled();
  expect(starts.at(-1)).toMatchObject({ config: { seed: 77 }, resume: { kind: "kept", name: "old" } });
  expect(draft.getState().config.seed).toBe(77);
  expect(run.getState().safety.offer).toBeNull();

  const other = setUp(offer);
  await settled();
  other.controller.discardOffer();
  expect(other.run.getState().safety.offer).toBeNull();
  expect(other.commands).toContain("forget old");
});

test("a quiet trainer is replaced when the run is to go on", async () => {
  const { controller, run, listeners, starts, commands } = await runTo7();
  listeners[0]?.quiet(true);
  expect(run.getState().safety.isQuiet).toBe(true);
  controller.goOn();
  await settled();
  expect(listeners).toHaveLength(2);
  expect(commands).toContain("dispose");
  expect(starts.at(-1)?.resume).toMatchObject({ snapshot: { update: 5 } });
  expect(run.getState().safety.isQuiet).toBe(false);
});

test("full storage and the pause of a hidden page are told, and the worker hears what is seen", async () => {
  const { run, send, hide, commands } = await runTo7();
  send({ notes: [{ type: "storage", fault: { reason: "full", message: "quota" } }] });
  expect(run.getState()).toMatchObject({ status: "running", safety: { storage: { reason: "full" } } });
  hide(true);
  send({ phase: "paused", notes: [{ type: "paused-hidden", minutes: 5 }] });
  expect(run.getState()).toMatchObject({ status: "paused", safety: { pausedHidden: 5 } });
  hide(false);
  send({ phase: "running" });
  expect(run.getState()).toMatchObject({ status: "running", safety: { pausedHidden: null } });
  expect(commands).toEqual(expect.arrayContaining(["hidden true", "hidden false"]));
});

test("how far a judge has practised is told until the first group comes", async () => {
  const { run, send } = await runTo7();
  send({ notes: [{ type: "practice", done: 32, of: 64 }] });
  expect(run.getState().practice).toEqual({ done: 32, of: 64 });
  send({ events: [{ type: "group", update: 8, group: { groupId: "8/0", taskId: "t", first: { kind: "x", content: null }, members: [], informative: true, credits: [] } }] });
  expect(run.getState().practice).toBeNull();
});

test("the pace is told to the worker and to the one that replaces it", async () => {
  const { controller, commands } = setUp();
  controller.setPace(500);
  controller.reconnect();
  await settled();
  expect(commands.filter((command) => command.startsWith("pace"))).toEqual(["pace 500", "pace 500"]);
});

test("going back shows the run as it was then, and asks the trainer for exactly that update", async () => {
  const { controller, run, send, starts } = setUp();
  controller.toggle();
  await settled();
  const all = [...fakeRun({ ...config, evaluation: { ...config.evaluation, every: 2 } })];
  const end = (update: number) => endOfUpdate(all, update);
  // The note about update 2 comes in one batch with its evaluation and the group of update 3.
  send({ events: all.slice(0, end(1)), notes: [{ type: "shelf", update: 1, updates: [1] }] });
  const before = all.slice(end(1), end(3) - 1);
  send({ events: before, notes: [{ type: "shelf", update: 2, updates: [1, 2] }] });
  send({ events: all.slice(end(3) - 1, end(5)) });
  send({ notes: [{ type: "shelf", update: 5, updates: [2, 5] }] });
  expect(run.getState()).toMatchObject({ update: 5, restorable: [2, 5], checkpoints: [2, 4] });

  controller.goBack(1);
  expect(starts).toHaveLength(1);
  controller.goBack(2);
  await settled();
  expect(starts[1]).toMatchObject({ run: 2, paused: false, resume: { kind: "shelf", update: 2 } });
  expect(run.getState()).toMatchObject({ status: "starting", run: 2, update: 2, restorable: [2], checkpoints: [], past: [] });
  expect(run.getState().groups.at(-1)?.update).toBe(2);
  send({ run: 2, events: all.slice(end(2), end(5)) });
  expect(run.getState()).toMatchObject({ update: 5, checkpoints: [2, 4] });
});

test("a change on the way outlives a crash before the next update was kept", async () => {
  const { controller, run, listeners, starts, send } = await runTo7();
  send({ notes: [{ type: "shelf", update: 7, updates: [7] }] });
  const changed = { ...config, algorithm: { ...config.algorithm, groupSize: 4 } };
  controller.goBack(7, () => changed);
  await settled();
  expect(starts.at(-1)).toMatchObject({ config: changed, resume: { kind: "shelf", update: 7 } });
  send({ run: 2, events: [{ type: "settings-changed", update: 7, config: changed }] });
  expect(controller.events().at(-1)).toMatchObject({ type: "settings-changed" });
  listeners[0]?.crashed({ code: "worker", message: "out of bounds", detail: {} });
  controller.goOn();
  await settled();
  // The worker tells of the change anew: the kept update was computed under what came before.
  expect(starts.at(-1)).toMatchObject({ config: changed, resume: { kind: "snapshot", snapshot: { update: 5 } } });
  expect(run.getState()).toMatchObject({ update: 5, config: changed });
  expect(controller.events().some(({ type }) => type === "settings-changed")).toBe(false);
});

test("a new worker has nothing to go back to", async () => {
  const { controller, run, send, listeners } = setUp();
  controller.toggle();
  await settled();
  const all = [...fakeRun(config)];
  send({ events: all.slice(0, endOfUpdate(all, 1)), notes: [{ type: "shelf", update: 1, updates: [1] }] });
  expect(run.getState().restorable).toEqual([1]);
  listeners[0]?.crashed({ code: "worker", message: "gone", detail: {} });
  controller.restart();
  expect(run.getState().restorable).toEqual([]);
});
