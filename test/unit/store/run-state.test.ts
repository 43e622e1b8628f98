import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { GROUP_LIMIT } from "#store/kept-groups.ts";
import { INITIAL_RUN, reduceRun, type RunState, type SessionEvent } from "#store/run-state.ts";
import { newestGroup, shownUpdate, successRows } from "#store/selectors.ts";
import { fakeGroup, fakeReport, fakeRun, fakeUpdate, started } from "../../fixtures/fake-run.ts";

const config = { ...PRESETS["refund-desk"], updates: 60 };
const rng = createRng(3);
const after = (events: Iterable<RunEvent | SessionEvent>, from: RunState = INITIAL_RUN): RunState => [...events].reduce(reduceRun, from);
const starting: SessionEvent = { type: "session-starting", run: 1, config };

describe("status", () => {
  test("goes from idle over starting and running to finished", () => {
    const statuses = [INITIAL_RUN, ...[starting, ...fakeRun(config)].map((_, index, events) => after(events.slice(0, index + 1)))].map(({ status }) => status);
    expect([...new Set(statuses)]).toEqual(["idle", "starting", "running", "finished"]);
  });

  test("pauses and resumes only what is under way", () => {
    const running = after([starting, started(config)]);
    const paused = reduceRun(running, { type: "session-paused" });
    expect(paused.status).toBe("paused");
    expect(reduceRun(paused, { type: "session-running" }).status).toBe("running");
    const ended = after(fakeRun(config), running);
    expect(reduceRun(ended, { type: "session-paused" })).toBe(ended);
    expect(reduceRun(INITIAL_RUN, { type: "session-running" })).toBe(INITIAL_RUN);
  });

  test("a run opened for one step stays paused when it says that it started", () => {
    expect(after([starting, { type: "session-paused" }, started(config)]).status).toBe("paused");
  });

  test("failures keep what was computed and say what happened", () => {
    const error = { code: "policy", message: "the loss is NaN", detail: {} };
    const failed = after([starting, started(config), fakeUpdate(1, rng), { type: "run-failed", update: 1, error }]);
    expect(failed).toMatchObject({ status: "failed", error, update: 1 });
    const lost = after([starting, started(config), { type: "device-lost", update: 4, message: "gone" }]);
    expect(lost).toMatchObject({ status: "device-lost", error: { code: "device-lost", message: "gone" } });
    expect(after([{ type: "session-failed", error }], lost).status).toBe("failed");
  });

  test("a reset forgets the run and outdates its batches, and keeps the backend", () => {
    const backend = { backend: "wasm", arithmetic: "simd128", reason: "", options: [] } as const;
    const state = after([{ type: "session-backend", backend }, starting, started(config), fakeUpdate(1, rng), { type: "session-reset" }]);
    expect(state).toEqual({ ...INITIAL_RUN, run: 2, backend });
  });
});

describe("groups", () => {
  const group = (update: number, informative: boolean): RunEvent => ({
    type: "group", update, group: { ...fakeGroup(update, 4, 0.5, rng.fork(`${update}`)), informative },
  });

  test("of a long run few are kept: the first, the newest, and older ones now and then", () => {
    const one = group(1, true);
    const state = after(Array.from({ length: 10 * GROUP_LIMIT }, (_, index) => ({ ...one, update: index + 1 })));
    const updates = state.groups.map(({ update }) => update);
    expect(updates).toHaveLength(GROUP_LIMIT);
    expect(updates[0]).toBe(1);
    expect(updates.at(-1)).toBe(10 * GROUP_LIMIT);
    const gaps = updates.slice(1).map((update, index) => update - (updates[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(50);
    expect(Math.max(...gaps.slice(-40))).toBeLessThanOrEqual(3);
  });

  test("a run of the default length keeps all of them", () => {
    const state = after(Array.from({ length: GROUP_LIMIT }, (_, index) => group(index + 1, true)));
    expect(state.groups.map(({ update }) => update)).toEqual(Array.from({ length: GROUP_LIMIT }, (_, index) => index + 1));
  });

  test("of one update the informative group is shown", () => {
    const state = after([group(1, true), group(2, false), group(2, true), group(2, false), fakeUpdate(2, rng)]);
    expect(newestGroup(state)).toBe(state.groups[2]);
  });

  test("board and readout show one update: a group waits until it has been learnt from, but for the first", () => {
    const first = after([group(1, true)]);
    expect([newestGroup(first)?.update, shownUpdate(first, null)]).toEqual([1, 1]);
    const sampled = after([group(1, true), fakeUpdate(1, rng), group(2, true)]);
    expect([newestGroup(sampled)?.update, shownUpdate(sampled, null)]).toEqual([1, 1]);
    const learnt = after([fakeUpdate(2, rng)], sampled);
    expect([newestGroup(learnt)?.update, shownUpdate(learnt, null)]).toEqual([2, 2]);
    expect(shownUpdate(learnt, 1)).toBe(1);
  });
});

describe("evaluations", () => {
  const evaluation = (update: number, subject: "base" | "current" | "prompted", split: "heldout" | "shifted", chance: number): RunEvent => ({
    type: "evaluation", update, subject, report: fakeReport(split, chance), timing: { seconds: 1 },
  });

  test("each subject keeps its newest; the curve starts at the base policy and leaves the scripted agent out", () => {
    const state = after([
      evaluation(0, "base", "heldout", 0.5), evaluation(0, "prompted", "heldout", 0.7), evaluation(20, "current", "heldout", 0.8),
      evaluation(20, "current", "shifted", 0.6), evaluation(40, "current", "heldout", 0.9),
    ]);
    expect(state.evaluations.current).toMatchObject({ update: 40, report: fakeReport("heldout", 0.9) });
    expect(state.evaluations.base?.report.passHatK[0]).toBeCloseTo(0.5);
    expect(state.shifted?.report.split).toBe("shifted");
    expect(state.heldout.map(({ update }) => update)).toEqual([0, 20, 40]);
  });

  test("the last evaluation and the ending are one point", () => {
    const state = after(fakeRun({ ...config, updates: 50 }));
    expect(state.heldout.map(({ update }) => update)).toEqual([0, 50]);
    expect(state.finished?.updates).toBe(50);
    expect(state.shifted?.update).toBe(50);
  });
});

test("the rate follows the time an update takes, without the pauses between updates", () => {
  const update = (seconds: number): RunEvent => ({ ...fakeUpdate(1, rng), timing: { seconds: 99, rollout: seconds / 2, learn: seconds / 2 } }) as RunEvent;
  expect(reduceRun(INITIAL_RUN, update(0.5)).updatesPerSecond).toBeCloseTo(2);
  const slowed = after([update(0.5), ...Array.from({ length: 60 }, () => update(0.25))]);
  expect(slowed.updatesPerSecond).toBeCloseTo(4, 3);
});

test("the reducer leaves its input alone", () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
      Object.freeze(value);
      Object.values(value).forEach(freeze);
    }
    return value;
  };
  expect(() => [starting, ...fakeRun(config)].reduce<RunState>((state, event) => freeze(reduceRun(state, freeze(event))), INITIAL_RUN)).not.toThrow();
});

test("rows of the success chart stay few, in order, with held-out points at the end of their stride", () => {
  const state = after(fakeRun({ ...config, updates: 1000, evaluation: { every: 35, tasks: 8, trials: 8 } }));
  const rows = successRows(state.series, state.heldout);
  expect(rows.length).toBeLessThanOrEqual(152);
  expect(rows.map(({ update }) => update)).toEqual(rows.map(({ update }) => update).toSorted((a, b) => a - b));
  expect(rows.filter(({ heldout }) => heldout !== null)).toHaveLength(state.heldout.length);
  expect(rows[0]).toMatchObject({ update: 0, training: null });
  const end = state.series.points.find(({ to }) => to >= 35)?.to;
  expect(rows.find(({ heldout }) => heldout === state.heldout[1]?.passHat1)?.update).toBe(end);
});

test("settings that changed on the way hold from there, told live or again", () => {
  const changed = { ...config, seed: 9 };
  const told = [started(config), fakeUpdate(1, rng), { type: "settings-changed", update: 1, config: changed }] as const;
  expect(after([starting, ...told]).config).toEqual(changed);
  expect(after(told).config).toEqual(changed);
  // A run from before changes were told is opened with what it goes on under.
  expect(after([{ ...starting, config: changed }, ...told.slice(0, 2)]).config).toEqual(changed);
});
