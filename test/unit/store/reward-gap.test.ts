import { expect, test } from "vitest";
import { PRESETS, setPath } from "#run/run-config.ts";
import { createOwnExhibits } from "#store/own-exhibits.ts";
import { gapCause, gapPoints, rewardGap } from "#store/reward-gap.ts";
import type { RunState } from "#store/run-state.ts";
import { appendUpdate, EMPTY_SERIES } from "#store/series.ts";
import { createRng } from "#core/rng.ts";
import { fakeReport, fakeUpdate } from "../../fixtures/fake-run.ts";

const config = PRESETS["js-sandbox"];
const [update] = [fakeUpdate(1, createRng(1))];
const metrics = update.type === "update" ? update.metrics : null;
const report = fakeReport("heldout", 0.1, 2);

/** A run of `updates` whose reward is `reward(update)` and whose held-out success has the ends given, every ten. */
function runOf(updates: number, reward: (at: number) => number, heldout: (at: number) => readonly [number, number], changed = config): Pick<RunState, "config" | "past" | "series"> {
  if (metrics === null) throw new Error("no metrics");
  let series = EMPTY_SERIES;
  const past = [];
  for (let at = 1; at <= updates; at += 1) {
    series = appendUpdate(series, at, { ...metrics, reward: reward(at), success: 0.3 });
    if (at % 10 === 0) past.push({ update: at, report: { ...report, passHatK: [heldout(at)[0]], passHatKInterval: [[heldout(at)[0] - 0.05, heldout(at)[1]] as const] } });
  }
  return { config: changed, past, series };
}

test("the training score is the mean reward since the evaluation before, ten updates at most", () => {
  const points = gapPoints(runOf(30, (at) => at / 100, () => [0.1, 0.15]));
  expect(points.map(({ update: at }) => at)).toEqual([10, 20, 30]);
  expect(points.map(({ score }) => Math.round(score * 1000) / 1000)).toEqual([0.055, 0.155, 0.255]);
  const [, far] = gapPoints({ ...runOf(40, (at) => at / 100, () => [0.1, 0.15]), past: runOf(40, () => 0, () => [0.1, 0.15]).past.filter((_, index) => index % 3 === 0) });
  expect(Math.round((far?.score ?? 0) * 1000) / 1000).toBe(0.355);
});

test("a gap is one that exceeds the upper end of the interval by 0.2, twice in a row", () => {
  expect(rewardGap(runOf(20, () => 0.5, () => [0.2, 0.29]))?.length).toBe(2);
  expect(rewardGap(runOf(20, () => 0.5, () => [0.2, 0.31]))).toBeNull();
  expect(rewardGap(runOf(10, () => 0.9, () => [0.1, 0.15]))).toBeNull();
  expect(rewardGap(runOf(30, () => 0.9, (at) => (at === 20 ? [0.8, 0.85] : [0.1, 0.15])))).toBeNull();
  expect(rewardGap(runOf(30, () => 0.9, (at) => (at === 10 ? [0.8, 0.85] : [0.1, 0.15])))?.length).toBe(3);
});

test("points and controls cannot be laid beside a rate", () => {
  for (const reward of ["call-bonus", "event-table", "coin-flip", "learned"]) expect(gapPoints(runOf(20, () => 5, () => [0.1, 0.15], setPath(config, "reward", reward)))).toEqual([]);
  expect(gapPoints({ ...runOf(20, () => 1, () => [0.1, 0.15]), config: null })).toEqual([]);
});

test("the larger part of a gap names its cause", () => {
  expect(gapCause({ update: 1, score: 0.97, success: 0.1, heldout: 0.05 })).toBe("check");
  expect(gapCause({ update: 1, score: 0.85, success: 0.85, heldout: 0.5 })).toBe("tasks");
});

const shelf = (texts: Map<string, string>) => ({ getItem: (key: string) => texts.get(key) ?? null, setItem: (key: string, text: string) => void texts.set(key, text) });
const exhibit = (id: string) => ({ id, addedAt: 1, link: "#/play?v=1&p=js-sandbox&s=1", preset: "js-sandbox", check: "naive", points: rewardGap(runOf(20, () => 0.75, () => [0.1, 0.15])) ?? [] });

test("own exhibits are kept, replaced by the same one, deleted, and read again", () => {
  const texts = new Map<string, string>();
  const own = createOwnExhibits(() => shelf(texts));
  own.add(exhibit("a"));
  own.add(exhibit("b"));
  own.add(exhibit("a"));
  expect(own.getState().exhibits.map(({ id }) => id)).toEqual(["a", "b"]);
  own.remove("b");
  expect(createOwnExhibits(() => shelf(texts)).getState()).toEqual(own.getState());
  expect(own.getState()).toMatchObject({ exhibits: [{ id: "a", points: [{ update: 10, score: 0.75 }, { update: 20 }] }], fault: null });
});

test("what cannot be read is put aside, and a list that another page wrote is not lost", () => {
  const texts = new Map([["turnwise/own-exhibits", "[{\"id\":7}]"]]);
  const own = createOwnExhibits(() => shelf(texts));
  expect(own.getState().exhibits).toEqual([]);
  expect(texts.get("turnwise/own-exhibits/unreadable")).toBe("[{\"id\":7}]");
  createOwnExhibits(() => shelf(texts)).add(exhibit("elsewhere"));
  own.add(exhibit("here"));
  expect(own.getState().exhibits.map(({ id }) => id)).toEqual(["here", "elsewhere"]);
});

test("a browser that keeps nothing says so, and the page shows what was added all the same", () => {
  const own = createOwnExhibits(() => {
    throw new Error("storage is off");
  });
  own.add(exhibit("a"));
  expect(own.getState().exhibits).toHaveLength(1);
  expect(own.getState().fault).toContain("storage is off");
});
