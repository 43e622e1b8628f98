import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { createRunStore } from "#store/run-store.ts";
import { createScrubber } from "#store/scrubber.ts";
import { evaluationsAt, groupAt, pointAt } from "#store/selectors.ts";
import { createViewStore } from "#store/view-store.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";

const config = { ...PRESETS["refund-desk"], updates: 60, evaluation: { every: 20, tasks: 8, trials: 8 } };
const events: readonly RunEvent[] = [...fakeRun(config)];

/** A run up to the end of an update. */
function runTo(update: number) {
  const run = createRunStore();
  const view = createViewStore();
  const end = events.findIndex((event) => event.type === "update" && event.update === update);
  run.apply(events.slice(0, end + 1));
  return { run, view, scrubber: createScrubber({ run, view }) };
}

test("goes to an update, stays within what was computed, and steps from what is shown", () => {
  const { view, scrubber } = runTo(30);
  const shown = () => [view.getState().at, view.getState().held?.update];
  scrubber.by(-1);
  expect(shown()).toEqual([29, 29]);
  scrubber.by(-10);
  expect(shown()).toEqual([19, 19]);
  scrubber.to(99);
  expect(shown()).toEqual([30, 30]);
  scrubber.to(-5);
  expect(shown()).toEqual([0, 1]);
  scrubber.to(Number.NaN);
  expect(shown()).toEqual([0, 1]);
  view.follow();
  expect(shown()).toEqual([null, undefined]);
});

test("has nowhere to go before the first group", () => {
  const run = createRunStore();
  const view = createViewStore();
  createScrubber({ run, view }).by(-1);
  expect(view.getState()).toMatchObject({ at: null, held: null });
});

test("a chosen turn stays chosen from update to update", () => {
  const { run, view, scrubber } = runTo(30);
  const entry = groupAt(run.getState(), 30);
  if (entry === null) throw new Error("the run has no group");
  view.select(entry, { member: 1, turn: 2 });
  expect(view.getState().at).toBe(30);
  scrubber.by(-3);
  expect(view.getState()).toMatchObject({ at: 27, selection: { member: 1, turn: 2 } });
});

test("numbers and evaluations are those of the update that is shown", () => {
  const state = runTo(55).run.getState();
  expect(pointAt(state.series, 0)).toBeNull();
  expect(pointAt(state.series, 7)).toMatchObject({ from: 7, to: 7 });
  expect(pointAt(state.series, 999)?.to).toBe(55);
  expect(evaluationsAt(state, null)).toBe(state.evaluations);
  expect(evaluationsAt(state, 45).current?.update).toBe(40);
  expect(evaluationsAt(state, 39).current?.update).toBe(20);
  expect(evaluationsAt(state, 3)).toEqual({ base: state.evaluations.base, prompted: state.evaluations.prompted });
  expect(state.checkpoints).toEqual([20, 40]);
});

test("of a group that has been given up the one kept before it is shown", () => {
  const { run } = runTo(30);
  const state = { ...run.getState(), groups: run.getState().groups.filter(({ update }) => update % 4 === 0) };
  expect([groupAt(state, 11)?.update, groupAt(state, 12)?.update, groupAt(state, 1)?.update]).toEqual([8, 12, 4]);
});
