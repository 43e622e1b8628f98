import { expect, test } from "vitest";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { afterUpdates, changedAfter, changeFrom, settingsAt, settingsOf, settingsSteps } from "#run/settings-changes.ts";
import { changedOnTheWay } from "#store/changed-on-the-way.ts";
import { started } from "../../fixtures/fake-run.ts";

const base = PRESETS["refund-desk"];
const sized = (groupSize: number): RunConfig => ({ ...base, algorithm: { ...base.algorithm, groupSize } });
const change = (update: number, config: RunConfig): RunEvent => ({ type: "settings-changed", update, config });
const events = [started(base), change(5, sized(2)), change(5, sized(4)), change(9, base)];

test("equal settings are no change, however they are written down", () => {
  expect(changeFrom({ update: 5, config: base }, structuredClone(base))).toBeNull();
  const turned = Object.fromEntries(Object.entries(base).toReversed()) as unknown as RunConfig;
  expect(changeFrom({ update: 5, config: base }, turned)).toBeNull();
  expect(changeFrom({ update: 5, config: base }, sized(4))).toEqual(change(5, sized(4)));
});

test("a change holds from the update behind it; of two in one place the last", () => {
  expect([1, 5, 6, 9, 10].map((update) => settingsAt(base, events, update).algorithm.groupSize)).toEqual([base.algorithm.groupSize, base.algorithm.groupSize, 4, 4, base.algorithm.groupSize]);
  expect(settingsSteps(events)).toEqual([{ update: 5, before: base, after: sized(4) }, { update: 9, before: sized(4), after: base }]);
  expect(changedAfter(events)).toEqual([5, 9]);
});

test("without a change told, the settings of the run are those it was read with", () => {
  expect(settingsAt(sized(4), [started(base)], 3)).toEqual(sized(4));
  expect(settingsOf([started(base)], { config: sized(4) })).toEqual(sized(4));
  expect(settingsOf([started(base)], null)).toEqual(base);
  expect(settingsOf(events.slice(0, 3), { config: base })).toEqual(sized(4));
  expect(settingsOf([], null)).toBeNull();
});

test("a run that came back to its first settings was changed all the same", () => {
  expect(changedOnTheWay(events, base)).toBe("after updates 5 and 9");
  expect(changedOnTheWay([started(base)], base)).toBeNull();
  expect(changedOnTheWay([started(base)], sized(4))).toBe("on its way");
  expect(changedOnTheWay([], sized(4))).toBeNull();
  expect(afterUpdates([3, 5, 9])).toBe("after updates 3, 5 and 9");
});
