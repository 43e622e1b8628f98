import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import { GROUP_LIMIT } from "#store/kept-groups.ts";
import { RunLog } from "#store/run-log.ts";
import { createRunStore } from "#store/run-store.ts";
import { fakeGroup, fakeRun, fakeUpdate } from "../../fixtures/fake-run.ts";

const config = { ...PRESETS["refund-desk"], updates: 8, evaluation: { every: 3, tasks: 4, trials: 4 } };
const all: readonly RunEvent[] = [...fakeRun(config)];

test("the events of a run stay as they came, and go back with it", () => {
  const log = new RunLog();
  for (const event of all.slice(0, endOfUpdate(all, 6) + 2)) log.add([event], []);
  log.rewind(6);
  expect(log.events).toEqual(all.slice(0, endOfUpdate(all, 6)));
  log.rewind(3);
  expect(log.events).toEqual(all.slice(0, endOfUpdate(all, 3)));
  log.rewind(0);
  expect(log.events).toEqual([]);
});

test("a very long run loses the groups that the page does not keep, and nothing else", () => {
  const run = createRunStore();
  const log = new RunLog();
  const rng = createRng(1);
  const group = fakeGroup(1, 2, 0.5, rng);
  const updates = 4 * GROUP_LIMIT;
  for (let update = 1; update <= updates; update += 1) {
    const events: RunEvent[] = [{ type: "group", update, group: { ...group } }, fakeUpdate(update, rng)];
    run.apply(events);
    log.add(events, run.getState().groups);
  }
  const groups = log.events.filter(({ type }) => type === "group");
  expect(groups.length).toBeLessThanOrEqual(2 * GROUP_LIMIT);
  expect(groups.length).toBeGreaterThanOrEqual(GROUP_LIMIT);
  expect(log.events.filter(({ type }) => type === "update")).toHaveLength(updates);
});
