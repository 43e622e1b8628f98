import { describe, expect, test } from "vitest";
import { DeviceLostError, KernelError, PolicyError } from "#core/errors.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { BackendChoice, BackendReport, Gate, Resume, TrainRuntime } from "#trainer/runtime.ts";
import type { ResumeFrom, RunBatch, SessionNote } from "#trainer/run-batch.ts";
import { TrainerSession, type Clock } from "#trainer/session.ts";
import { createFakeLaboratory } from "../../fixtures/fake-laboratory.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";
import { createMemoryArchive } from "../../fixtures/memory-archive.ts";

const config: RunConfig = { ...PRESETS["refund-desk"], updates: 6, evaluation: { every: 2, tasks: 4, trials: 8 } };
const backend: BackendReport = { backend: "reference", arithmetic: "reference", reason: "", options: [] };

const laboratory = createFakeLaboratory(() => undefined);

interface Setting {
  /** Thrown in place of the first such event of an update, or of any. */
  readonly faults?: readonly { readonly before: RunEvent["type"]; readonly update?: number; readonly error: Error }[];
  /** Awaits the gate between events as well, as a run that works in pieces does. */
  readonly pieces?: boolean;
  /** What each request for a backend gets, in order; the last for all further ones. */
  readonly backends?: readonly BackendReport["backend"][];
  /** Awaited by each copy of the state. */
  readonly copying?: (update: number) => Promise<void>;
  /** Weights as of each update. */
  readonly weights?: (update: number) => number;
}

/** A clock that is moved by hand; pending timers fire as it passes them. */
function handClock() {
  let time = 0;
  let timers: { readonly at: number; readonly action: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    after: (milliseconds, action) => {
      const timer = { at: time + milliseconds, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const advance = (milliseconds: number): void => {
    time += milliseconds;
    const due = timers.filter(({ at }) => at <= time);
    timers = timers.filter(({ at }) => at > time);
    for (const { action } of due) action();
  };
  return { clock, advance, waits: () => timers.map(({ at }) => at - time) };
}

function setUp({ faults = [], pieces = false, backends, copying = () => Promise.resolve(), weights = () => 0.5 }: Setting = {}) {
  const batches: RunBatch[] = [];
  const opened: { readonly choice: BackendChoice; readonly resume: Resume | null }[] = [];
  const left = [...faults];
  let disposed = 0;
  let returned = 0;
  async function* events(gate: Gate, settings: RunConfig, resume: Resume | null, reached: (update: number) => void): AsyncGenerator<RunEvent, void> {
    let update = 0;
    let isPast = resume !== null;
    try {
      for (const event of fakeRun(settings)) {
        if (event.type === "group") update = event.update;
        if (isPast) {
          isPast = event.type !== "update" || event.update !== resume?.update;
          continue;
        }
        const fault = left.find(({ before, update: at }) => before === event.type && (at === undefined || at === update));
        if (fault !== undefined) {
          left.splice(left.indexOf(fault), 1);
          throw fault.error;
        }
        if (pieces) await gate();
        if (event.type === "update") reached(update);
        yield event;
      }
    } finally {
      returned += 1;
    }
  }
  const runtime: TrainRuntime = {
    prepare: async () => backend,
    study: async () => laboratory,
    replay: () => Promise.reject(new Error("nothing is replayed here")),
    playTask: () => Promise.reject(new Error("nothing is played here")),
    open: async (settings, choice, gate, resume) => {
      const kind = backends === undefined ? "reference" : (backends[opened.length] ?? backends.at(-1) ?? "reference");
      opened.push({ choice, resume });
      let update = resume?.update ?? 0;
      const state = (): Float32Array<ArrayBuffer> => new Float32Array([weights(update)]);
      return {
        backend: backends === undefined ? backend : { ...backend, backend: choice === "wasm" ? "wasm" : kind },
        events: events(gate, settings, resume, (at) => {
          update = at;
        }),
        model: { layers: 1, width: 16, context: 8, vocabulary: 4, valueHead: false },
        snapshot: async () => new Float32Array([1, 2]),
        laboratory,
        exportState: async () => {
          await copying(update);
          return { weights: state(), first: state(), second: state(), step: update };
        },
        dispose: () => void (disposed += 1),
      };
    },
  };
  const { clock, advance, waits } = handClock();
  const archive = createMemoryArchive();
  const session = new TrainerSession(runtime, archive, (batch) => batches.push(structuredClone(batch)), clock);
  const start = (run: number, paused: boolean, resume: ResumeFrom | null = null, settings: RunConfig = config) =>
    session.start({ run, config: settings, backend: "automatic", paused, resume });
  const seen = (run?: number): RunEvent[] => batches.flatMap((batch) => (run === undefined || batch.run === run ? batch.events : []));
  const notes = <K extends SessionNote["type"]>(type: K) => batches.flatMap((batch) => batch.notes).filter((note): note is Extract<SessionNote, { type: K }> => note.type === type);
  const updates = (): number => seen().filter(({ type }) => type === "update").length;
  const until = async (condition: () => boolean, perTurn = 0): Promise<void> => {
    for (let turn = 0; turn < 2000 && !condition(); turn += 1) {
      if (perTurn > 0) advance(perTurn);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(condition()).toBe(true);
  };
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { session, start, archive, batches, opened, seen, notes, updates, until, quiet, advance, waits, counts: () => ({ disposed, returned }) };
}

const phase = (batches: readonly RunBatch[]): string | undefined => batches.at(-1)?.phase;

test("a run passes all its events on, in order, and says that it has finished", async () => {
  const { session, start, batches, seen, until, counts } = setUp();
  expect(await start(1, false)).toBe(backend);
  await until(() => phase(batches) === "finished");
  expect(seen()).toEqual([...fakeRun(config)]);
  expect(batches.every(({ run }) => run === 1)).toBe(true);
  expect(await session.snapshot()).toEqual(new Float32Array([1, 2]));
  expect(counts()).toEqual({ disposed: 0, returned: 1 });
  await session.stop();
  expect(counts()).toEqual({ disposed: 1, returned: 1 });
});

describe.each([{ pieces: false }, { pieces: true }])("commands, $pieces", (setting) => {
  test("a step is exactly one update", async () => {
    const { session, start, batches, updates, until, quiet } = setUp(setting);
    await start(1, true);
    await quiet();
    expect(updates()).toBe(0);
    for (const expected of [1, 2, 3]) {
      session.step();
      await until(() => phase(batches) === "paused" && updates() >= expected);
      await quiet();
      expect(updates()).toBe(expected);
    }
  });

  test("a step that is asked for while another is under way is one more, however often; a run that runs is left alone", async () => {
    const { session, start, batches, updates, until, quiet } = setUp(setting);
    await start(1, true);
    for (let press = 0; press < 4; press += 1) session.step();
    await until(() => phase(batches) === "paused" && updates() >= 2);
    await quiet();
    expect(updates()).toBe(2);
    session.resume();
    session.step();
    await until(() => phase(batches) === "finished");
  });

  test("a step that is asked for while the run is opened is one more than that it starts with", async () => {
    const { session, start, batches, updates, until, quiet } = setUp(setting);
    const opening = start(1, true);
    await Promise.resolve();
    session.step();
    await opening;
    session.step();
    await until(() => phase(batches) === "paused" && updates() >= 2);
    await quiet();
    expect(updates()).toBe(2);
  });

  test("a pause holds, a resume goes on with nothing lost", async () => {
    const { session, start, batches, seen, until, quiet } = setUp(setting);
    await start(1, false);
    session.pause();
    await quiet();
    const held = seen().length;
    await quiet();
    expect(seen()).toHaveLength(held);
    expect(phase(batches)).toBe("paused");
    session.resume();
    await until(() => phase(batches) === "finished");
    expect(seen()).toEqual([...fakeRun(config)]);
  });

  test("weights can be taken while paused and while running", async () => {
    const { session, start, quiet } = setUp(setting);
    await start(1, true);
    await quiet();
    expect(await session.snapshot()).toEqual(new Float32Array([1, 2]));
    session.resume();
    expect(await session.snapshot()).toEqual(new Float32Array([1, 2]));
    await session.stop();
  });

  test("a stop ends the run, lets go of what it held, and the next run starts afresh", async () => {
    const { session, start, batches, updates, until, counts } = setUp(setting);
    await start(1, true);
    session.step();
    await until(() => updates() === 1);
    await start(2, false);
    expect(counts()).toEqual({ disposed: 1, returned: 1 });
    await until(() => phase(batches) === "finished");
    const second = batches.filter(({ run }) => run === 2).flatMap(({ events }) => events);
    expect(second).toEqual([...fakeRun(config)]);
  });
});

test("a run that is given up while it is being opened lets go of what it then gets", async () => {
  let disposed = false;
  let open = (): void => {};
  const runtime: TrainRuntime = {
    prepare: async () => backend,
    study: async () => laboratory,
    replay: () => Promise.reject(new Error("nothing is replayed here")),
    playTask: () => Promise.reject(new Error("nothing is played here")),
    open: async () => {
      await new Promise<void>((resolve) => {
        open = resolve;
      });
      return {
        backend, events: (async function* () {})(), model: { layers: 1, width: 16, context: 8, vocabulary: 4, valueHead: false }, snapshot: async () => new Float32Array(),
        laboratory, exportState: async () => ({ weights: new Float32Array(), first: new Float32Array(), second: new Float32Array(), step: 0 }), dispose: () => void (disposed = true),
      };
    },
  };
  const batches: RunBatch[] = [];
  const session = new TrainerSession(runtime, createMemoryArchive(), (batch) => batches.push(batch), handClock().clock);
  const opening = session.start({ run: 1, config, backend: "automatic", paused: false, resume: null });
  await Promise.resolve();
  await session.stop();
  open();
  await expect(opening).rejects.toThrow("the run was stopped");
  expect(disposed).toBe(true);
  expect(batches).toEqual([]);
});

describe("errors", () => {
  test("become an event with the update they came after", async () => {
    const { start, batches, seen, until } = setUp({ faults: [{ before: "update", error: new PolicyError("the loss is NaN", { loss: "NaN" }) }] });
    await start(1, false);
    await until(() => phase(batches) === "failed");
    expect(seen().at(-1)).toEqual({ type: "run-failed", update: 0, error: { code: "policy", message: "the loss is NaN", detail: { loss: "NaN" } } });
  });

  test("a lost device is told apart", async () => {
    const { start, batches, seen, until } = setUp({ faults: [{ before: "checkpoint", error: new DeviceLostError("gone") }] });
    await start(1, false);
    await until(() => phase(batches) === "failed");
    expect(seen().at(-1)).toEqual({ type: "device-lost", update: 2, message: "gone" });
  });

  test("without a run there are no weights to take", async () => {
    await expect(setUp().session.snapshot()).rejects.toThrow("no run");
  });
});

const lost = (before: RunEvent["type"], update: number) => ({ before, update, error: new DeviceLostError("gone") });
/** The updates in the order in which they were told. */
const order = (events: readonly RunEvent[]): number[] => events.flatMap((event) => (event.type === "update" ? [event.update] : []));

describe("kept", () => {
  test("every few seconds, after an update, with its totals and its state", async () => {
    const { start, notes, until, batches, archive } = setUp();
    await start(1, false);
    await until(() => phase(batches) === "finished", 1_500);
    const snapshots = notes("kept").map(({ snapshot }) => snapshot);
    expect(snapshots.length).toBeGreaterThan(1);
    expect(snapshots.length).toBeLessThan(6);
    for (const snapshot of snapshots) expect(snapshot).toMatchObject({ config, arithmetic: "reference", trajectories: 256 * snapshot.update, policy: { step: snapshot.update } });
    // A run that is over needs no rescue, but its page may still go back in it.
    await until(() => archive.over.size === 1);
    expect(await archive.newest()).toBeNull();
    expect(archive.runs.size).toBe(1);
  });

  test("comes right behind its own update, so that a page knows what it showed then", async () => {
    const { start, batches, until } = setUp();
    await start(1, false);
    await until(() => phase(batches) === "finished", 1_500);
    let last = 0;
    const pairs: (readonly [number, number])[] = [];
    for (const { events, notes } of batches) {
      last = order(events).at(-1) ?? last;
      for (const note of notes) if (note.type === "kept") pairs.push([note.snapshot.update, last]);
    }
    expect(pairs.length).toBeGreaterThan(1);
    expect(pairs.every(([kept, shown]) => kept === shown)).toBe(true);
  });

  test("at a pause, at a step and when the page is hidden", async () => {
    const { session, start, notes, updates, until, archive, quiet } = setUp({ pieces: true });
    await start(1, true);
    session.step();
    await until(() => notes("kept").length === 1);
    expect(notes("kept")[0]?.snapshot.update).toBe(1);
    session.resume();
    await until(() => updates() === 2, 60);
    session.pause();
    expect(notes("kept").map(({ snapshot }) => snapshot.update)).toEqual([1, 2]);
    session.resume();
    await until(() => updates() === 3, 60);
    session.setHidden(true);
    session.pause();
    expect(notes("kept").map(({ snapshot }) => snapshot.update)).toEqual([1, 2, 3]);
    await quiet();
    expect(archive.runs.get("run-1")?.snapshot.update).toBe(3);
    await session.stop();
    // Given up, it stays among the stored runs and is not offered.
    expect(archive.over.has("run-1")).toBe(true);
    expect(archive.runs.get("run-1")?.snapshot.update).toBe(3);
  });

  test("a pause while the copy is being made does not lose it", async () => {
    let release = (): void => {};
    const copying = (update: number) => (update === 2 ? new Promise<void>((resolve) => (release = resolve)) : Promise.resolve());
    const { session, start, notes, updates, until, quiet } = setUp({ copying });
    await start(1, false);
    await until(() => updates() === 2, 60);
    await quiet();
    session.pause();
    expect(notes("kept").map(({ snapshot }) => snapshot.update)).toEqual([1]);
    release();
    await quiet();
    expect(notes("kept").map(({ snapshot }) => snapshot.update)).toEqual([1, 2]);
  });

  test("what is stored is every event up to the snapshot and none behind it", async () => {
    const { start, notes, archive, until, updates, quiet, session } = setUp({ pieces: true });
    await start(1, false);
    await until(() => updates() >= 4, 1_500);
    session.pause();
    await quiet();
    const stored = archive.runs.get("run-1");
    const at = stored?.snapshot.update ?? 0;
    expect(at).toBe(notes("kept").at(-1)?.snapshot.update);
    expect(stored?.events).toEqual([...fakeRun(config)].slice(0, [...fakeRun(config)].findIndex((event) => event.type === "update" && event.update === at) + 1));
  });

  test("weights that are not finite are not kept", async () => {
    const { start, notes, batches, until } = setUp({ weights: (update) => (update > 2 ? Number.NaN : 0.5) });
    await start(1, false);
    await until(() => phase(batches) === "finished", 5_000);
    expect(notes("kept").map(({ snapshot }) => snapshot.update)).toEqual([1, 2]);
  });

  test("full storage is told once, and the run goes on and is still kept for the page", async () => {
    const { start, archive, notes, batches, until, seen } = setUp();
    archive.fill();
    await start(1, false);
    await until(() => phase(batches) === "finished", 5_000);
    expect(notes("storage")).toEqual([{ type: "storage", fault: { reason: "full", message: "the quota is used up" } }]);
    expect(notes("kept").length).toBeGreaterThan(2);
    expect(seen()).toEqual([...fakeRun(config)]);
  });
});

describe("storage", () => {
  test("of a run that is over has all of its events, and the weights of its last update", async () => {
    const { start, archive, until } = setUp();
    await start(1, false);
    await until(() => archive.over.size === 1);
    const stored = archive.runs.get("run-1");
    expect(stored?.events).toEqual([...fakeRun(config)]);
    expect(stored?.snapshot.update).toBe(config.updates);
  });

  test("that was full and has room again gets all that waited, and says so", async () => {
    const { session, start, archive, notes, until, updates, quiet } = setUp({ pieces: true });
    archive.fill();
    await start(1, false);
    await until(() => updates() >= 3, 5_000);
    session.pause();
    await quiet();
    expect(archive.runs.size).toBe(0);
    archive.empty();
    await session.retryStorage();
    const at = notes("kept").at(-1)?.snapshot.update;
    expect(archive.runs.get("run-1")?.snapshot.update).toBe(at);
    expect(archive.runs.get("run-1")?.events).toEqual([...fakeRun(config)].slice(0, [...fakeRun(config)].findIndex((event) => event.type === "update" && event.update === at) + 1));
    session.resume();
    await until(() => notes("storage").length === 2);
    expect(notes("storage").map(({ fault }) => fault?.reason ?? null)).toEqual(["full", null]);
  });
});

describe("a stored run", () => {
  /** What a finished run, or one stopped after an update, left in storage. */
  const left = async (update: number | null) => {
    const { session, start, archive, until, updates, quiet } = setUp({ pieces: true });
    await start(1, update !== null);
    if (update === null) await until(() => archive.over.size === 1);
    for (let step = 1; step <= (update ?? 0); step += 1) {
      session.step();
      await until(() => updates() === step);
    }
    await quiet();
    if (update !== null) await session.stop();
    const stored = archive.runs.get("run-1");
    if (stored === undefined) throw new Error("nothing was stored");
    const here = setUp();
    here.archive.runs.set("run-1", structuredClone(stored));
    return here;
  };

  test("that was stopped is shown as it stood and waits; then it goes on to the same end", async () => {
    const here = await left(2);
    await here.start(5, true, { kind: "kept", name: "run-1" });
    await here.quiet();
    expect(here.updates()).toBe(2);
    expect(phase(here.batches)).toBe("paused");
    here.session.resume();
    await here.until(() => phase(here.batches) === "finished");
    expect(here.seen()).toEqual([...fakeRun(config)]);
  });

  test("that is under way here is opened again from where it stands, and storage has it once", async () => {
    const here = await left(2);
    await here.start(5, true, { kind: "kept", name: "run-1" });
    here.session.setPace(10_000);
    here.session.resume();
    await here.until(() => here.updates() === 3);
    // Storage is behind by what came since the last copy left.
    await here.start(6, true, { kind: "kept", name: "run-1" });
    expect(here.opened.at(-1)?.resume?.update).toBe(3);
    here.session.setPace(0);
    await here.quiet();
    here.session.resume();
    await here.until(() => phase(here.batches) === "finished");
    expect(here.seen(6)).toEqual([...fakeRun(config)]);
    expect(here.archive.runs.get("run-1")?.events).toEqual([...fakeRun(config)]);
  });

  test("that is over is shown whole, gives its weights away, and is left as it is", async () => {
    const here = await left(null);
    const before = structuredClone(here.archive.runs.get("run-1"));
    await here.start(5, true, { kind: "kept", name: "run-1" });
    await here.until(() => phase(here.batches) === "finished");
    expect(here.seen()).toEqual([...fakeRun(config)]);
    expect(here.notes("shelf").at(-1)?.updates).toEqual([config.updates]);
    here.session.resume();
    await here.quiet();
    await here.session.stop();
    expect(here.seen()).toEqual([...fakeRun(config)]);
    expect(here.archive.runs.get("run-1")).toEqual(before);
  });

  test("without weights is shown, opens nothing, and says that nothing comes", async () => {
    const here = setUp();
    const events = [...fakeRun(config)].slice(0, 9);
    expect(await here.start(5, true, { kind: "file", run: { name: "file", snapshot: null, events } })).toBeNull();
    expect(phase(here.batches)).toBe("finished");
    expect(here.seen()).toEqual(events);
    expect(here.opened).toEqual([]);
    expect(here.archive.runs.size).toBe(0);
  });

  test("that another tab works on is not touched", async () => {
    const here = await left(2);
    here.archive.claim = async () => false;
    await expect(here.start(5, true, { kind: "kept", name: "run-1" })).rejects.toThrow("another tab is working on this run");
  });
});

describe("gone on with", () => {
  test("from a snapshot in another worker: the rest of the events", async () => {
    const first = setUp();
    await first.start(1, true);
    first.session.step();
    await first.until(() => first.notes("kept").length === 1);
    const snapshot = first.notes("kept")[0]?.snapshot;
    if (snapshot === undefined) throw new Error("nothing was kept");
    const second = setUp();
    await second.start(1, false, { kind: "snapshot", snapshot });
    await second.until(() => phase(second.batches) === "finished");
    expect(second.opened[0]?.resume).toEqual(snapshot);
    expect([...first.seen(), ...second.seen()]).toEqual([...fakeRun(config)]);
  });

  test("from storage: first what was, then the rest", async () => {
    const { session, start, archive, batches, seen, notes, until, quiet } = setUp();
    await start(1, true);
    session.step();
    await until(() => notes("kept").length === 1);
    await quiet();
    const stored = structuredClone(archive.runs.get("run-1"));
    const after = setUp();
    if (stored !== undefined) after.archive.runs.set("run-1", stored);
    expect(await after.session.kept()).toMatchObject({ name: "run-1", update: 1 });
    await after.start(4, false, { kind: "kept", name: "run-1" });
    await after.until(() => phase(after.batches) === "finished");
    expect(after.seen()).toEqual([...fakeRun(config)]);
    expect(after.batches.every(({ run }) => run === 4)).toBe(true);
    expect(after.notes("kept")[0]?.snapshot.update).toBe(1);
    expect(seen().length).toBeLessThan(after.seen().length);
    expect(phase(batches)).toBe("paused");
  });

  test("storage that has lost it says so", async () => {
    const { start } = setUp();
    await expect(start(1, false, { kind: "kept", name: "gone" })).rejects.toThrow("cannot be read any more");
  });
});

describe("a lost graphics device", () => {
  test("is replaced at once, and the run goes on from the last kept update", async () => {
    const { start, opened, notes, seen, batches, until, counts } = setUp({ backends: ["webgpu"], faults: [lost("group", 4)] });
    await start(1, false);
    await until(() => phase(batches) === "finished", 1_500);
    expect(opened.map(({ choice }) => choice)).toEqual(["automatic", "webgpu"]);
    expect(notes("device-lost")).toEqual([{ type: "device-lost", update: 3, message: "gone" }]);
    expect(notes("recovered")).toMatchObject([{ update: 3, backend: { backend: "webgpu" } }]);
    expect(seen()).toEqual([...fakeRun(config)]);
    expect(counts()).toEqual({ disposed: 1, returned: 2 });
  });

  test("before anything was kept: the run starts over", async () => {
    const { start, opened, notes, seen, batches, until } = setUp({ backends: ["webgpu"], faults: [lost("update", 1)] });
    await start(1, false);
    await until(() => phase(batches) === "finished");
    expect(opened[1]).toEqual({ choice: "webgpu", resume: null });
    expect(notes("device-lost")[0]?.update).toBe(0);
    expect(order(seen())).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("is waited for: at once, after one second, after four; then the processor takes over and says why", async () => {
    const { start, opened, notes, seen, batches, until, waits, advance, quiet } = setUp({ backends: ["webgpu", "wasm"], faults: [lost("group", 4)] });
    await start(1, false);
    await until(() => notes("device-lost").length === 1);
    await quiet();
    expect([opened.length, waits()]).toEqual([2, [1_000]]);
    expect(phase(batches)).toBe("recovering");
    advance(1_000);
    await quiet();
    expect([opened.length, waits()]).toEqual([3, [4_000]]);
    advance(4_000);
    await until(() => phase(batches) === "finished");
    expect(opened.map(({ choice }) => choice)).toEqual(["automatic", "webgpu", "webgpu", "webgpu", "wasm"]);
    expect(notes("recovered")).toMatchObject([{ backend: { backend: "wasm", reason: "the graphics device was lost and did not come back: WASM runs" } }]);
    expect(order(seen())).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("three times: the third time the processor takes over at once and stays for what is automatic", async () => {
    const { session, start, opened, notes, batches, until } = setUp({ backends: ["webgpu"], faults: [lost("group", 2), lost("group", 3), lost("group", 4)] });
    await start(1, false);
    await until(() => phase(batches) === "finished", 1_500);
    expect(opened.map(({ choice }) => choice)).toEqual(["automatic", "webgpu", "webgpu", "wasm"]);
    expect(notes("recovered").at(-1)?.backend.reason).toBe("the graphics device was lost 3 times: WASM runs");
    await start(2, true);
    expect(opened.at(-1)?.choice).toBe("wasm");
    await session.start({ run: 3, config, backend: "webgpu", paused: true, resume: null });
    expect(opened.at(-1)?.choice).toBe("webgpu");
  });

  test("a stop while another is waited for ends the wait", async () => {
    const { session, start, opened, notes, until, quiet } = setUp({ backends: ["webgpu", "wasm"], faults: [lost("group", 4)] });
    await start(1, false);
    await until(() => notes("device-lost").length === 1);
    await quiet();
    await session.stop();
    expect(opened).toHaveLength(2);
  });
});

describe("a page that nobody sees", () => {
  test("is worked for five minutes, then the run pauses and says why", async () => {
    const { session, start, notes, batches, until, quiet, advance } = setUp({ pieces: true });
    await start(1, false, null, { ...config, updates: 60 });
    session.setHidden(true);
    await until(() => phase(batches) === "paused", 5_000);
    expect(notes("paused-hidden")).toEqual([{ type: "paused-hidden", minutes: 5 }]);
    session.setHidden(false);
    advance(60_000);
    await quiet();
    expect(phase(batches)).toBe("paused");
    session.resume();
    await until(() => phase(batches) === "finished");
  });

  test("frozen for hours and woken, the run goes on", async () => {
    const { session, start, notes, batches, advance, until, updates } = setUp({ pieces: true });
    await start(1, false);
    await until(() => updates() === 2, 60);
    session.setHidden(true);
    advance(6 * 3_600_000);
    await until(() => phase(batches) === "finished");
    expect(notes("paused-hidden")).toEqual([]);
  });
});

test("a pace holds updates apart, a change of it counts at once, and a step does not wait for it", async () => {
  const { session, start, updates, until, quiet, advance } = setUp({ pieces: true });
  session.setPace(2_000);
  await start(1, false);
  await until(() => updates() === 1);
  await quiet();
  expect(updates()).toBe(1);
  advance(1_999);
  await quiet();
  expect(updates()).toBe(1);
  advance(1);
  await until(() => updates() === 2);
  session.pause();
  session.step();
  await until(() => updates() === 3);
  session.resume();
  await quiet();
  expect(updates()).toBe(3);
  session.setPace(0);
  await until(() => updates() === 6);
});

test("out of memory names the setting and a smaller value", async () => {
  const error = new KernelError("out of memory: 300 MB", { fault: "out-of-memory" });
  const { start, seen, batches, until } = setUp({ faults: [{ before: "group", error }] });
  await start(1, false);
  await until(() => phase(batches) === "failed");
  expect(seen().at(-1)).toMatchObject({
    type: "run-failed",
    error: { code: "kernel", message: "out of memory: 300 MB. algorithm.groupsPerUpdate decides how much an update takes: try 16", detail: { setting: "algorithm.groupsPerUpdate", value: 16 } },
  });
});
