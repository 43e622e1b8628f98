import { expect, test } from "vitest";
import { fingerprint } from "#core/json.ts";
import { readCheckpoint } from "#engine/checkpoint.ts";
import { parseRunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import type { ResumeFrom, RunBatch } from "#trainer/run-batch.ts";
import type { TrainRuntime } from "#trainer/runtime.ts";
import { TrainerSession } from "#trainer/session.ts";
import { train } from "#trainer/train.ts";
import { createFakeLaboratory } from "../../fixtures/fake-laboratory.ts";
import { createMemoryArchive } from "../../fixtures/memory-archive.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { digest, SMALL_RUN } from "../trainer/runs.ts";

/** A real small run behind the session: it goes back to updates that it has left behind. */

const config = { ...SMALL_RUN, updates: 4 };
const dialled = parseRunConfig({ ...config, algorithm: { ...config.algorithm, groupSize: 4, credit: { id: "dial", share: 0.5 } } });
const report = { backend: "wasm", arithmetic: "simd128", reason: "", options: [] } as const;
const runtime: TrainRuntime = {
  prepare: async () => report,
  study: async () => createFakeLaboratory(() => undefined),
  replay: () => Promise.reject(new Error("nothing is replayed here")),
  playTask: () => Promise.reject(new Error("nothing is played here")),
  open: async (settings, _choice, gate, resume) => {
    const executor = await wasmExecutor("simd128");
    return withArena(settings, (arena) => {
      const policy = openPolicy(executor, settings, arena, undefined);
      return {
        backend: report, model: policy.layout.config, laboratory: createFakeLaboratory(() => undefined),
        events: train(settings, { arena, policy, now: () => 0, gate, ...(resume ? { resume } : {}) }),
        snapshot: () => policy.snapshot(), exportState: () => policy.exportState(), dispose: () => policy.dispose(),
      };
    });
  },
};

function setUp() {
  const batches: RunBatch[] = [];
  const archive = createMemoryArchive();
  // Time passes with each breath alone: how busy the machine is decides nothing.
  let time = 0;
  const breathe = (): Promise<void> => {
    time += 1;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  const clock = { now: () => time, breathe, after: () => () => {} };
  const session = new TrainerSession(runtime, archive, (batch) => batches.push(batch), clock);
  const start = (run: number, resume: ResumeFrom | null, paused = false, settings = config) => session.start({ run, config: settings, backend: "wasm", paused, resume });
  const eventsOf = (run: number): readonly RunEvent[] => batches.filter((batch) => batch.run === run).flatMap(({ events }) => events);
  const until = async (condition: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 20_000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(condition()).toBe(true);
  };
  const ended = (run: number) => until(() => batches.some((batch) => batch.run === run && batch.phase === "finished"));
  const shelf = () => batches.flatMap(({ notes }) => notes).findLast((note) => note.type === "shelf");
  return { session, archive, start, eventsOf, until, ended, shelf };
}

const after = (events: readonly RunEvent[], update: number): readonly RunEvent[] =>
  events.slice(events.findIndex((event) => event.type === "update" && event.update === update) + 1);

test("what comes after the update gone back to is, event by event, what came after it the first time", async () => {
  const { session, archive, start, eventsOf, ended, shelf } = setUp();
  await start(1, null);
  await ended(1);
  expect(shelf()).toEqual({ type: "shelf", update: 4, updates: [1, 2, 3, 4] });
  const first = eventsOf(1);
  for (const [run, update] of [[2, 3], [3, 1], [4, 2]] as const) {
    await start(run, { kind: "shelf", update });
    await ended(run);
    expect(digest(eventsOf(run)), `from update ${update}`).toEqual(digest(after(first, update)));
    expect(shelf()).toEqual({ type: "shelf", update: 4, updates: [1, 2, 3, 4] });
  }
  // Storage tells the same story as the page, though it was gone back in three times.
  const [name = ""] = archive.runs.keys();
  const stored = await archive.load(name);
  expect(digest(stored?.events ?? [])).toEqual(digest(first.slice(0, stored?.events.length)));
  expect(stored?.snapshot?.update).toBe(4);
  expect(stored?.events.at(-1)?.type).toBe("run-finished");
  await session.stop();
  expect(archive.over.has(name)).toBe(true);
});

test("going back from the middle of an update, with events that storage has not seen yet, leaves no gap in storage", async () => {
  const { session, archive, start, eventsOf, until } = setUp();
  await start(1, null);
  await until(() => eventsOf(1).some((event) => event.type === "update" && event.update === 3));
  await start(2, { kind: "shelf", update: 2 }, true);
  await until(() => [...archive.runs.values()].some(({ snapshot }) => snapshot.update === 2));
  const [stored] = [...archive.runs.values()];
  const whole = eventsOf(1);
  expect(digest(stored?.events ?? [])).toEqual(digest(whole.slice(0, whole.length - after(whole, 2).length)));
  await session.stop();
});

test("settings that are changed on the way are told where they begin to hold, stored with the run, and gone on under from storage", async () => {
  const { session, archive, start, eventsOf, until } = setUp();
  const change = { type: "settings-changed", update: 2, config: dialled } as const;
  await start(1, null);
  await until(() => eventsOf(1).some((event) => event.type === "update" && event.update === 3));
  // As it is opened anew, before anything was computed: whoever reloads now goes on under the new settings.
  await start(2, { kind: "shelf", update: 2 }, true, dialled);
  expect(await session.kept()).toMatchObject({ update: 2, config: dialled });
  session.step();
  await until(() => eventsOf(2).some((event) => event.type === "update"));
  expect(eventsOf(2)[0]).toEqual(change);
  await session.stop();
  const [[name, stored] = ["", undefined]] = archive.runs;
  expect(stored?.snapshot).toMatchObject({ update: 3, config: dialled });
  const whole = [...eventsOf(1).slice(0, eventsOf(1).length - after(eventsOf(1), 2).length), ...eventsOf(2)];
  expect(digest(stored?.events ?? [])).toEqual(digest(whole.slice(0, stored?.events.length)));
  expect(stored?.events).toContainEqual(change);
  expect(stored?.events.filter(({ type }) => type === "settings-changed")).toHaveLength(1);

  // Reloaded: what was told comes again, and update 4 is trained on truth in groups of four; it is told once.
  await start(3, { kind: "kept", name }, false, dialled);
  await until(() => eventsOf(3).some((event) => event.type === "run-finished"));
  expect(eventsOf(3).filter(({ type }) => type === "settings-changed")).toEqual([change]);
  const last = eventsOf(3).findLast((event) => event.type === "group");
  expect(last).toMatchObject({ update: 4 });
  expect(last?.group.credits[0]?.id).toBe("dial");
  expect(last?.group.members).toHaveLength(dialled.algorithm.groupSize);
  await session.stop();
});

test("back before the change the old settings hold again, and nothing is told of the one that was taken back", async () => {
  const { session, archive, start, eventsOf, until, ended } = setUp();
  await start(1, null);
  await ended(1);
  await start(2, { kind: "shelf", update: 3 }, false, dialled);
  await ended(2);
  await start(3, { kind: "shelf", update: 2 });
  await ended(3);
  await until(() => archive.over.size > 0);
  expect(digest(eventsOf(3))).toEqual(digest(after(eventsOf(1), 2)));
  const [stored] = [...archive.runs.values()];
  expect(digest(stored?.events ?? [])).toEqual(digest(eventsOf(1)));
  expect(stored?.snapshot.config).toEqual(config);
  await session.stop();
});

test("weights of an update come as a file that can be read back and started from", async () => {
  const { session, start, eventsOf, ended } = setUp();
  await start(1, null);
  await ended(1);
  const checkpoint = eventsOf(1).find((event) => event.type === "checkpoint");
  const file = session.checkpoint(2);
  const { model, weights, notes } = readCheckpoint(file.bytes);
  expect(checkpoint).toEqual({ type: "checkpoint", update: 2, fingerprint: file.fingerprint });
  expect(fingerprint(weights)).toBe(file.fingerprint);
  expect(model).toMatchObject({ layers: 2, width: 32, context: 96 });
  expect(notes).toEqual({ preset: "refund-desk", seed: "11", update: "2", arithmetic: "simd128", fingerprint: file.fingerprint });
  await session.stop();
});

test("an update whose state is not kept is refused, with those that are, and the run stays as it is", async () => {
  const { session, start, eventsOf, ended } = setUp();
  await expect(start(1, { kind: "shelf", update: 1 })).rejects.toThrow("the state after update 1 is not kept: no run is open");
  await start(2, null);
  await ended(2);
  await expect(start(3, { kind: "shelf", update: 9 })).rejects.toThrow("the state after update 9 is not kept; kept are 1, 2, 3, 4");
  expect(() => session.checkpoint(9)).toThrow("kept are 1, 2, 3, 4");
  expect(session.checkpoint(4).bytes.length).toBeGreaterThan(1_000);
  expect(eventsOf(2).at(-1)?.type).toBe("run-finished");
  await session.stop();
});
