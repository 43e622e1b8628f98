import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import type { LinkView } from "#share/run-link.ts";
import { createRunStore } from "#store/run-store.ts";
import { createScrubber } from "#store/scrubber.ts";
import { createViewStore } from "#store/view-store.ts";
import { createWalk } from "#store/walk.ts";
import { fakeGroup, fakeUpdate, started } from "../../fixtures/fake-run.ts";

function setUp(updates: number) {
  const run = createRunStore();
  const view = createViewStore();
  const looked: LinkView[] = [];
  let [steps, toggles] = [0, 0];
  run.apply([started(PRESETS["refund-desk"])]);
  for (let update = 1; update <= updates; update += 1)
    run.apply([{ type: "group", update, group: fakeGroup(update, 4, 0.5, createRng(update)) }, fakeUpdate(update, createRng(update))]);
  const walk = createWalk({ run, view, controller: { step: () => void (steps += 1), toggle: () => void (toggles += 1) }, scrubber: createScrubber({ run, view }), links: { look: (wanted) => void looked.push(wanted) } });
  const lengths = run.getState().groups.at(-1)?.group.members.map(({ turns }) => turns.length) ?? [];
  return { run, view, walk, looked, lengths, steps: () => steps, toggles: () => toggles };
}

test("from nothing the first turn is chosen; then trajectories and turns are walked and the ends hold", () => {
  const { view, walk, lengths } = setUp(1);
  walk.member(1);
  expect(view.getState()).toMatchObject({ at: 1, selection: { member: 0, turn: 0 } });
  walk.turn(-1);
  expect(view.getState().selection).toEqual({ member: 0, turn: 0 });
  for (let turn = 0; turn < 20; turn += 1) walk.turn(1);
  const last = (lengths[0] ?? 0) - 1;
  expect(view.getState().selection).toEqual({ member: 0, turn: last });
  walk.member(1);
  expect(view.getState().selection).toEqual({ member: 1, turn: Math.min(last, (lengths[1] ?? 0) - 1) });
  for (let member = 0; member < 9; member += 1) walk.member(1);
  expect(view.getState().selection?.member).toBe(3);
  for (let member = 0; member < 9; member += 1) walk.member(-1);
  expect(view.getState().selection?.member).toBe(0);
});

test("forward goes through what was computed, then computes, and the chosen turn moves along", () => {
  const { run, view, walk, looked, steps } = setUp(3);
  run.apply([{ type: "session-paused" }]);
  walk.member(1);
  walk.turn(1);
  view.hold(2, run.getState().groups[1] ?? null);
  walk.forward();
  expect([view.getState().at, steps()]).toEqual([3, 0]);
  walk.forward();
  expect([steps(), looked]).toEqual([1, [{ update: 4, selection: { member: 0, turn: 1 } }]]);
  view.follow();
  walk.forward();
  expect([steps(), looked.length]).toEqual([2, 1]);
});

test("forward leaves what is read where it is while a run runs; whether it steps is the trainer's to say", () => {
  const { walk, view, steps, looked } = setUp(2);
  walk.forward();
  walk.member(1);
  walk.forward();
  expect([steps(), looked, view.getState().at]).toEqual([2, [], 2]);
});

test("a finished run is gone through, and no key starts it anew", () => {
  const { run, walk, view, steps, toggles } = setUp(2);
  walk.run();
  expect(toggles()).toBe(1);
  run.apply([{ type: "session-over" }]);
  expect(run.getState().status).toBe("finished");
  view.hold(1, run.getState().groups[0] ?? null);
  walk.forward();
  expect(view.getState().at).toBe(2);
  walk.forward();
  walk.run();
  expect([steps(), toggles()]).toEqual([0, 1]);
  expect(view.getState().at).toBe(2);
});
