import { expect, test } from "vitest";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { createDraftStore } from "#store/draft-store.ts";
import { createRunStore } from "#store/run-store.ts";
import { createSweepStore, sweepSeeds } from "#store/sweep-store.ts";
import { fakeRun, started } from "../../fixtures/fake-run.ts";

const config: RunConfig = { ...PRESETS["refund-desk"], seed: 5 };

function setUp() {
  const run = createRunStore();
  const draft = createDraftStore(config);
  const seeds: number[] = [];
  const startWith = (settings: RunConfig): void => {
    seeds.push(settings.seed);
    run.apply([{ type: "session-starting", run: run.getState().run + 1, config: settings }]);
  };
  const reset = (): void => run.apply([{ type: "session-reset" }]);
  const sweep = createSweepStore({ run, draft, controller: { startWith, reset } });
  const begin = (): void => run.apply([started(run.getState().config ?? config), { type: "session-running" }]);
  const finish = (): void => {
    const end = [...fakeRun(config)].at(-1);
    if (end?.type !== "run-finished") throw new Error("the made-up run has no end");
    run.apply([end]);
  };
  return { run, draft, sweep, seeds, begin, finish, startWith };
}

test("seeds are trained one after the other, each under the settings as they were when it began", () => {
  const { draft, sweep, seeds, begin, finish, run } = setUp();
  expect(sweep.start(config, 3, new Set())).toBe(true);
  expect(seeds).toEqual([5]);
  draft.set("updates", 7);
  for (const _ of [1, 2]) {
    begin();
    finish();
  }
  expect(seeds).toEqual([5, 6, 7]);
  expect(run.getState().config).toEqual({ ...config, seed: 7 });
  // What was edited meanwhile waits for a start of its own.
  expect(draft.getState().config).toMatchObject({ seed: 7, updates: 7 });
  begin();
  run.apply([{ type: "session-paused" }]);
  expect(sweep.getState()).toMatchObject({ at: 2, standing: "under-way" });
  run.apply([{ type: "session-running" }]);
  finish();
  expect(sweep.getState()?.standing).toBe("finished");
  expect(seeds).toEqual([5, 6, 7]);
});

test("stopped as one, and given up where a person starts something else", () => {
  const { sweep, seeds, begin, run, startWith } = setUp();
  sweep.start(config, 3, new Set());
  begin();
  sweep.stop();
  expect([run.getState().status, sweep.getState()?.standing]).toEqual(["idle", "given-up"]);
  sweep.start(config, 3, new Set());
  begin();
  startWith({ ...config, seed: 5, updates: 9 });
  expect(sweep.getState()?.standing).toBe("given-up");
  expect(seeds).toEqual([5, 5, 5]);
});

test("a seed that breaks down ends it; seeds that are kept are left out", () => {
  const { sweep, seeds, begin, run } = setUp();
  expect(sweep.start(config, 3, new Set([5, 6, 7]))).toBe(false);
  sweep.start(config, 3, new Set([5]));
  begin();
  run.apply([{ type: "run-failed", update: 0, error: { code: "policy", message: "broken", detail: {} } }]);
  expect(sweep.getState()).toMatchObject({ standing: "failed", at: 0, seeds: [6, 7] });
  expect(seeds).toEqual([6]);
});

test("seeds follow the settings' own, from 0 behind the last there is", () => {
  expect(sweepSeeds(7, 3)).toEqual([7, 8, 9]);
  expect(sweepSeeds(4294967295, 2)).toEqual([4294967295, 0]);
});
