import { describe, expect, test } from "vitest";
import { DeviceLostError, PolicyError } from "#core/errors.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { BackendReport, Gate, TrainRuntime } from "#trainer/runtime.ts";
import { TrainerSession, type Clock, type RunBatch } from "#trainer/session.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";

const config: RunConfig = { ...PRESETS["refund-desk"], updates: 6, evaluation: { every: 2, tasks: 4, trials: 8 } };
const backend: BackendReport = { backend: "reference", arithmetic: "reference", reason: "", options: [] };

interface Setting {
  /** Thrown in place of an event. */
  readonly fault?: { readonly before: RunEvent["type"]; readonly error: Error };
  /** Awaits the gate between events as well, as a run that works in pieces does. */
  readonly pieces?: boolean;
}

function setUp({ fault, pieces = false }: Setting = {}) {
  const batches: RunBatch[] = [];
  let disposed = 0;
  let returned = 0;
  async function* events(gate: Gate, settings: RunConfig): AsyncGenerator<RunEvent, void> {
    try {
      for (const event of fakeRun(settings)) {
        if (event.type === fault?.before) throw fault.error;
        if (pieces) await gate();
        yield event;
      }
    } finally {
      returned += 1;
    }
  }
  const runtime: TrainRuntime = {
    prepare: async () => backend,
    open: async (settings, _choice, gate) => ({
      backend, events: events(gate, settings), snapshot: async () => new Float32Array([1, 2]), dispose: () => void (disposed += 1),
    }),
  };
  const clock: Clock = { now: () => performance.now(), breathe: () => new Promise((resolve) => setImmediate(resolve)) };
  const session = new TrainerSession(runtime, (batch) => batches.push(batch), clock);
  const seen = (): RunEvent[] => batches.flatMap((batch) => batch.events);
  const updates = (): number => seen().filter(({ type }) => type === "update").length;
  const until = async (condition: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 2000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(condition()).toBe(true);
  };
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { session, batches, seen, updates, until, quiet, counts: () => ({ disposed, returned }) };
}

const phase = (batches: readonly RunBatch[]): string | undefined => batches.at(-1)?.phase;

test("a run passes all its events on, in order, and says that it has finished", async () => {
  const { session, batches, seen, until, counts } = setUp();
  expect(await session.start(1, config, "automatic", false)).toBe(backend);
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
    const { session, batches, updates, until, quiet } = setUp(setting);
    await session.start(1, config, "automatic", true);
    await quiet();
    expect(updates()).toBe(0);
    for (const expected of [1, 2, 3]) {
      session.step();
      await until(() => phase(batches) === "paused" && updates() >= expected);
      await quiet();
      expect(updates()).toBe(expected);
    }
  });

  test("a pause holds, a resume goes on with nothing lost", async () => {
    const { session, batches, seen, until, quiet } = setUp(setting);
    await session.start(1, config, "automatic", false);
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
    const { session, quiet } = setUp(setting);
    await session.start(1, config, "automatic", true);
    await quiet();
    expect(await session.snapshot()).toEqual(new Float32Array([1, 2]));
    session.resume();
    expect(await session.snapshot()).toEqual(new Float32Array([1, 2]));
    await session.stop();
  });

  test("a stop ends the run, lets go of what it held, and the next run starts afresh", async () => {
    const { session, batches, updates, until, counts } = setUp(setting);
    await session.start(1, config, "automatic", true);
    session.step();
    await until(() => updates() === 1);
    await session.start(2, config, "automatic", false);
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
    open: async () => {
      await new Promise<void>((resolve) => {
        open = resolve;
      });
      return { backend, events: (async function* () {})(), snapshot: async () => new Float32Array(), dispose: () => void (disposed = true) };
    },
  };
  const batches: RunBatch[] = [];
  const session = new TrainerSession(runtime, (batch) => batches.push(batch), { now: () => 0, breathe: async () => {} });
  const opening = session.start(1, config, "automatic", false);
  await Promise.resolve();
  await session.stop();
  open();
  await expect(opening).rejects.toThrow("the run was stopped");
  expect(disposed).toBe(true);
  expect(batches).toEqual([]);
});

describe("errors", () => {
  test("become an event with the update they came after", async () => {
    const { session, batches, seen, until } = setUp({ fault: { before: "update", error: new PolicyError("the loss is NaN", { loss: "NaN" }) } });
    await session.start(1, config, "automatic", false);
    await until(() => phase(batches) === "failed");
    expect(seen().at(-1)).toEqual({ type: "run-failed", update: 0, error: { code: "policy", message: "the loss is NaN", detail: { loss: "NaN" } } });
  });

  test("a lost device is told apart", async () => {
    const { session, batches, seen, until } = setUp({ fault: { before: "checkpoint", error: new DeviceLostError("gone") } });
    await session.start(1, config, "automatic", false);
    await until(() => phase(batches) === "failed");
    expect(seen().at(-1)).toEqual({ type: "device-lost", update: 2, message: "gone" });
  });

  test("without a run there are no weights to take", async () => {
    await expect(setUp().session.snapshot()).rejects.toThrow("no run");
  });
});
