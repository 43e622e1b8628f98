import { expect, test } from "vitest";
import { DeviceLostError, PolicyError } from "#core/errors.ts";
import type { Assessed, AssessRequest } from "#run/assessment.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import type { Laboratory } from "#trainer/laboratory.ts";
import type { RunBatch } from "#trainer/run-batch.ts";
import type { BackendReport, Gate, TrainRuntime } from "#trainer/runtime.ts";
import { TrainerSession } from "#trainer/session.ts";
import { fakeAssessment } from "../../fixtures/fake-laboratory.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";
import { createMemoryArchive } from "../../fixtures/memory-archive.ts";

const config: RunConfig = { ...PRESETS["refund-desk"], updates: 6, evaluation: { every: 2, tasks: 4, trials: 8 } };
const backend: BackendReport = { backend: "reference", arithmetic: "reference", reason: "", options: [] };
const group = [...fakeRun(config)].find((event) => event.type === "group");
if (group?.type !== "group") throw new Error("no group");
const answer: Assessed = {
  assessment: fakeAssessment(1, group.group, "history", []),
  meters: { wrongSign: { share: null, count: 3 }, goodQuestionsPunished: { share: null, count: 1 }, gradientCosine: 0.5, groups: 2 },
};
const of = (groupId: string): AssessRequest => ({ source: { kind: "run" }, groupId, given: "history", schemes: [] });
const ofRecording: AssessRequest = { ...of("recording/1"), source: { kind: "recording", recording: { preset: "refund-desk", seed: 0, task: 1, attempts: [1] } } };
const state = { weights: new Float32Array([1]), first: new Float32Array([1]), second: new Float32Array([1]), step: 1 };

/** A session over a made-up run, and a laboratory whose answers take as many gates as it is told, by a clock that each gate moves on. */
function setUp({ gates = () => 3 }: { readonly gates?: () => number } = {}) {
  const log: string[] = [];
  const batches: RunBatch[] = [];
  let time = 0;
  let busy = 0;
  /** Never two pieces of work at once. */
  const alone = async (name: string, work: () => Promise<void>): Promise<void> => {
    log.push(`${name} begins`);
    busy += 1;
    expect(busy).toBe(1);
    try {
      await work();
      log.push(`${name} ends`);
    } catch (error) {
      log.push(`${name} is cut short`);
      throw error;
    } finally {
      busy -= 1;
    }
  };
  const laboratory = (name: string): Laboratory => ({
    assess: async ({ groupId }, gate, part) => {
      await alone(`${name} ${groupId}`, async () => {
        if (groupId === "gone") throw new PolicyError("group gone is not held any more");
        for (let left = gates(); left > 0; left -= 1) await gate();
        part(answer);
        await gate();
      });
      return answer;
    },
    glance: () => Promise.resolve(null),
    forkOptions: () => Promise.reject(new PolicyError("not asked here")),
    fork: () => Promise.reject(new PolicyError("not asked here")),
    dispose: () => void log.push(`${name} disposed`),
  });
  async function* events(gate: Gate): AsyncGenerator<RunEvent, void> {
    for (const event of fakeRun(config)) {
      await gate();
      if (event.type === "update") await alone(`update ${event.update}`, async () => void (time += 100));
      yield event;
    }
  }
  const runtime: TrainRuntime = {
    prepare: async () => backend,
    study: async () => laboratory("study"),
    replay: () => Promise.reject(new Error("nothing is replayed here")),
    playTask: () => Promise.reject(new Error("nothing is played here")),
    open: async (_config, _choice, gate) => ({
      backend, events: events(gate), laboratory: laboratory("run"), model: { layers: 1, width: 16, context: 8, vocabulary: 4, valueHead: false },
      snapshot: async () => new Float32Array([7]), exportState: async () => state, dispose: () => {},
    }),
  };
  const breathe = async (): Promise<void> => {
    time += 10;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const session = new TrainerSession(runtime, createMemoryArchive(), (batch) => batches.push(structuredClone(batch)), { now: () => time, breathe, after: () => () => {} });
  const start = (paused: boolean) => session.start({ run: 1, config, backend: "automatic", paused, resume: null });
  const until = async (condition: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 2000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(condition()).toBe(true);
  };
  const phase = (): string | undefined => batches.at(-1)?.phase;
  const notes = () => batches.flatMap((batch) => batch.notes).filter((note) => note.type === "assessment");
  const updates = (): number => batches.flatMap((batch) => batch.events).filter(({ type }) => type === "update").length;
  const paused = async (): Promise<void> => {
    await start(true);
    session.step();
    await until(() => phase() === "paused" && updates() === 1);
  };
  return { session, start, paused, until, phase, notes, updates, log, batches };
}

test("while paused a group is assessed, with a part as a note before the whole", async () => {
  const { session, paused, notes, log } = setUp();
  await paused();
  expect(await session.questions.assess(of("1/0"))).toEqual(answer);
  expect(notes()).toEqual([{ type: "assessment", ...answer }]);
  expect(log.slice(-2)).toEqual(["run 1/0 begins", "run 1/0 ends"]);
});

test("while the run goes on nothing is assessed, and without a run there is none to ask about", async () => {
  const { session, start, log } = setUp();
  await expect(session.questions.assess(of("1/0"))).rejects.toThrow("there is no run to ask about");
  await start(false);
  expect(await session.questions.assess(of("1/0"))).toBeNull();
  expect(await session.questions.assess(ofRecording)).toBeNull();
  expect(log.filter((line) => line.startsWith("run 1/0"))).toEqual([]);
  await session.stop();
});

test.each([["resume"], ["step"]] as const)("%s cuts an assessment short, and the run goes on with nothing lost", async (command) => {
  const { session, paused, until, updates, phase, log, batches } = setUp({ gates: () => Infinity });
  await paused();
  const asked = session.questions.assess(of("1/0"));
  await until(() => log.includes("run 1/0 begins"));
  session[command]();
  expect(await asked).toBeNull();
  await until(() => (command === "step" ? phase() === "paused" && updates() === 2 : phase() === "finished"));
  expect(log).toContain("run 1/0 is cut short");
  const seen = batches.flatMap((batch) => batch.events);
  expect(seen).toEqual([...fakeRun(config)].slice(0, seen.length));
});

test("stop waits until nothing computes any more", async () => {
  const { session, paused, until, log } = setUp({ gates: () => Infinity });
  await paused();
  const asked = session.questions.assess(of("1/0"));
  await until(() => log.includes("run 1/0 begins"));
  await session.stop();
  expect(log.at(-1)).toBe("run 1/0 is cut short");
  expect(await asked).toBeNull();
});

test("the next question takes the place of the one before, whether it was begun or waits", async () => {
  let gates = Infinity;
  const { session, paused, until, log } = setUp({ gates: () => gates });
  await paused();
  const first = session.questions.assess(of("1/0"));
  await until(() => log.includes("run 1/0 begins"));
  const [second, third] = [session.questions.assess(of("1/1")), session.questions.assess(of("1/2"))];
  gates = 2;
  expect(await Promise.all([first, second, third])).toEqual([null, null, answer]);
  expect(log.filter((line) => line.endsWith("begins") && line.startsWith("run"))).toEqual(["run 1/0 begins", "run 1/2 begins"]);
});

test("weights can be had while a question is worked on", async () => {
  const { session, paused, until, log } = setUp({ gates: () => Infinity });
  await paused();
  void session.questions.assess(of("1/0"));
  await until(() => log.includes("run 1/0 begins"));
  expect(await session.snapshot()).toEqual(new Float32Array([7]));
  await session.stop();
});

test("a question that fails is told to who asked, and the run does not notice", async () => {
  const { session, paused, until, phase } = setUp();
  await paused();
  await expect(session.questions.assess(of("gone"))).rejects.toThrow("not held any more");
  session.resume();
  await until(() => phase() === "finished");
});

test("after the end questions are answered still", async () => {
  const { session, start, until, phase } = setUp();
  await start(false);
  await until(() => phase() === "finished");
  expect(await session.questions.assess(of("6/0"))).toEqual(answer);
  await session.stop();
});

test("before anything runs a recording is studied, once, and let go of when a run starts", async () => {
  const { session, start, log, notes, until } = setUp();
  expect(await session.questions.assess(ofRecording)).toEqual(answer);
  expect(await session.questions.assess(ofRecording)).toEqual(answer);
  expect(notes()).toEqual([]);
  expect(log).toEqual(["study recording/1 begins", "study recording/1 ends", "study recording/1 begins", "study recording/1 ends"]);
  await start(true);
  await until(() => log.includes("study disposed"));
});

const long = (updates: number): RunConfig => ({ ...config, updates });

/** A run of updates that take 100 ms each; every breath takes 10. */
function setUpLong(updates: number, glance: (gate: Gate) => Promise<Assessed | null>) {
  let time = 0;
  const batches: RunBatch[] = [];
  async function* events(gate: Gate): AsyncGenerator<RunEvent, void> {
    for (const event of fakeRun(long(updates))) {
      await gate();
      if (event.type === "update") time += 100;
      yield event;
    }
  }
  const never = () => Promise.reject(new PolicyError("not asked here"));
  const runtime: TrainRuntime = {
    prepare: async () => backend,
    study: never,
    replay: () => Promise.reject(new Error("nothing is replayed here")),
    playTask: () => Promise.reject(new Error("nothing is played here")),
    open: async (_config, _choice, gate) => ({
      backend, events: events(gate), laboratory: { assess: never, glance, forkOptions: never, fork: never, dispose: () => {} },
      model: { layers: 1, width: 16, context: 8, vocabulary: 4, valueHead: false }, snapshot: async () => new Float32Array(), exportState: async () => state, dispose: () => {},
    }),
  };
  const breathe = async (): Promise<void> => {
    time += 10;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const session = new TrainerSession(runtime, createMemoryArchive(), (batch) => batches.push(structuredClone(batch)), { now: () => time, breathe, after: () => () => {} });
  const until = async (condition: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 5000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(condition()).toBe(true);
  };
  const notes = () => batches.flatMap((batch) => batch.notes).filter((note) => note.type === "assessment");
  return { session, batches, now: () => time, until, notes, phase: () => batches.at(-1)?.phase };
}

test("glances take a tenth of the time at most, and are passed on", async () => {
  const times: { readonly since: number; readonly until: number }[] = [];
  const { session, notes, until, phase, batches, now } = setUpLong(60, async (gate) => {
    const since = now();
    for (let piece = 0; piece < 5; piece += 1) await gate();
    times.push({ since, until: now() });
    return answer;
  });
  await session.start({ run: 1, config: long(60), backend: "automatic", paused: false, resume: null });
  await until(() => phase() === "finished");
  expect(times.length).toBeGreaterThan(2);
  expect(notes()).toHaveLength(times.length);
  for (const [index, { since }] of times.entries()) {
    const before = times[index - 1];
    if (before) expect(since - before.until).toBeGreaterThanOrEqual((before.until - before.since) / 0.1);
  }
  expect(batches.flatMap((batch) => batch.events)).toEqual([...fakeRun(long(60))]);
});

test("a pause cuts a glance short; a glance that fails does not end the run, a lost device does", async () => {
  let cut = false;
  const held = setUpLong(60, async (gate) => {
    try {
      for (;;) await gate();
    } finally {
      cut = true;
    }
  });
  await held.session.start({ run: 1, config: long(60), backend: "automatic", paused: false, resume: null });
  await held.until(() => held.now() > 4000);
  held.session.pause();
  await held.until(() => cut);
  await held.session.stop();
  const failing = setUpLong(40, () => Promise.reject(new PolicyError("the truth is out")));
  await failing.session.start({ run: 1, config: long(40), backend: "automatic", paused: false, resume: null });
  await failing.until(() => failing.phase() === "finished");
  const lost = setUpLong(40, () => Promise.reject(new DeviceLostError("gone")));
  await lost.session.start({ run: 1, config: long(40), backend: "automatic", paused: false, resume: null });
  await lost.until(() => lost.phase() === "failed");
  expect(lost.batches.flatMap((batch) => batch.events).at(-1)).toMatchObject({ type: "device-lost" });
});
