import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRng } from "#core/rng.ts";
import { comesToRest, paceRun } from "#store/paced-store.ts";
import { createRunStore } from "#store/run-store.ts";
import { PRESETS } from "#run/run-config.ts";
import { fakeUpdate, started } from "../../fixtures/fake-run.ts";

const config = PRESETS["refund-desk"];
const rng = createRng(1);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("a busy run changes what is drawn at most so often, and the last state is always drawn", () => {
  const store = createRunStore();
  const paced = paceRun(store, 4);
  const seen: number[] = [];
  paced.subscribe(({ update }) => seen.push(update));
  store.apply([{ type: "session-starting", run: 1, config }, started(config)]);
  for (let update = 1; update <= 50; update += 1) {
    store.apply([fakeUpdate(update, rng)]);
    vi.advanceTimersByTime(20);
  }
  vi.advanceTimersByTime(250);
  expect(seen.length).toBeLessThanOrEqual(7);
  expect(seen.at(-1)).toBe(50);
});

test.each([
  { milliseconds: 10, least: 21, most: 27, note: "a fortieth of the time" },
  { milliseconds: 50, least: 9, most: 12, note: "but once a second all the same" },
])("what takes $milliseconds ms to draw is drawn less often: $note", ({ milliseconds, least, most }) => {
  const store = createRunStore();
  const paced = paceRun(store, 4);
  let [drawn, spent] = [0, 0];
  paced.subscribe(() => {
    drawn += 1;
    spent += milliseconds;
  });
  const real = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => real() + spent);
  store.apply([{ type: "session-starting", run: 1, config }, started(config)]);
  const before = drawn;
  for (let update = 1; update <= 500; update += 1) {
    store.apply([fakeUpdate(update, rng)]);
    vi.advanceTimersByTime(20);
  }
  // In 10 s and what drawing took.
  expect(drawn - before).toBeGreaterThanOrEqual(least);
  expect(drawn - before).toBeLessThanOrEqual(most);
});

test("a pause is drawn at once", () => {
  const store = createRunStore();
  const paced = paceRun(store, 1);
  store.apply([{ type: "session-starting", run: 1, config }, started(config), fakeUpdate(1, rng)]);
  store.apply([{ type: "session-paused" }]);
  expect(paced.getState()).toMatchObject({ status: "paused", update: 1 });
});

test("nothing is drawn while the page is hidden, and the newest state when it is shown again", () => {
  let hidden = true;
  let shown = (): void => {};
  const store = createRunStore();
  const paced = paceRun(store, 4, {
    hidden: () => hidden,
    subscribe: (listener) => {
      shown = listener;
      return () => {};
    },
  });
  store.apply([{ type: "session-starting", run: 1, config }, started(config), fakeUpdate(9, rng)]);
  vi.advanceTimersByTime(1000);
  expect(paced.getState().update).toBe(0);
  hidden = false;
  shown();
  expect(paced.getState().update).toBe(9);
});

test("progress is spoken at most once in five seconds", () => {
  const store = createRunStore();
  const spoken = paceRun(store, 0.2, undefined, comesToRest);
  const at: number[] = [];
  spoken.subscribe(() => at.push(performance.now()));
  store.apply([{ type: "session-starting", run: 1, config }, started(config)]);
  for (let update = 1; update <= 60; update += 1) {
    store.apply([fakeUpdate(update, rng)]);
    vi.advanceTimersByTime(400);
  }
  expect(at.length).toBeGreaterThan(3);
  for (const [index, time] of at.entries()) if (index > 0) expect(time - (at[index - 1] ?? 0)).toBeGreaterThanOrEqual(5000);
});

test("where a run comes to rest is spoken at once, with the update it rests at", () => {
  const store = createRunStore();
  const spoken = paceRun(store, 0.2, undefined, comesToRest);
  store.apply([{ type: "session-starting", run: 1, config }, started(config)]);
  vi.advanceTimersByTime(100);
  store.apply([fakeUpdate(1, rng), { type: "session-paused" }]);
  expect(spoken.getState()).toMatchObject({ status: "paused", update: 1 });
  store.apply([{ type: "session-running" }]);
  expect(spoken.getState().status).toBe("paused");
  store.apply([fakeUpdate(2, rng), { type: "session-paused" }]);
  expect(spoken.getState()).toMatchObject({ status: "paused", update: 2 });
});
