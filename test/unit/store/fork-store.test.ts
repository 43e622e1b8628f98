import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import type { ForkOptions, ForkRequest, ForkResult } from "#run/assessment.ts";
import type { Reply } from "#protocol/trainer.api.ts";
import { createForkStore, rewoundGroup, rewoundTruth } from "#store/fork-store.ts";
import { createRunStore } from "#store/run-store.ts";
import { createViewStore } from "#store/view-store.ts";
import { createFakeLaboratory, fakeTruth } from "../../fixtures/fake-laboratory.ts";
import { PRESETS } from "#run/run-config.ts";
import { fakeGroup, fakeUpdate, started } from "../../fixtures/fake-run.ts";

const group = fakeGroup(3, 4, 0.5, createRng(2));
const entry = { update: 3, group };
const at = { member: 1, turn: 1 };
const gate = async () => {};

const config = PRESETS["refund-desk"];
const other = { update: 4, group: fakeGroup(4, 4, 0.5, createRng(9)) };

function bench(isCut = false) {
  const [run, view] = [createRunStore(), createViewStore()];
  run.apply([{ type: "session-starting", run: 1, config }, started(config), fakeUpdate(4, createRng(1))]);
  view.hold(3, entry);
  const faults = new Map<string, string>();
  const laboratory = createFakeLaboratory(() => entry);
  const requests: ForkRequest[] = [];
  let again = 0;
  let active = 0;
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    active += 1;
    // Another question would cut the one under way short.
    expect(active).toBe(1);
    await Promise.resolve();
    const value = await work();
    active -= 1;
    return value;
  };
  const forks = createForkStore({
    run,
    view,
    controller: {
      forkOptions: async (place): Promise<Reply<ForkOptions | null>> => {
        const message = faults.get(place.groupId);
        if (message !== undefined) return { ok: false, error: { code: "policy", message, detail: {} } };
        return { ok: true, value: await alone(() => laboratory.forkOptions(place, gate)) };
      },
      fork: async (request): Promise<Reply<ForkResult | null>> => {
        requests.push(request);
        return { ok: true, value: isCut ? null : await alone(() => laboratory.fork(request, gate)) };
      },
    },
    recorded: null,
    assessor: { again: () => void (again += 1) },
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  return { forks, run, view, faults, requests, settle, asksAgain: () => again };
}

test("opening tells what else could have been; what was recorded is chosen at first", async () => {
  const { forks, settle, asksAgain } = bench();
  forks.open(entry, at);
  expect(forks.getState().open).toMatchObject({ at, options: null, chosen: { kind: "action", action: group.members[1]?.turns[1]?.action } });
  await settle();
  expect(forks.getState().open?.options?.actions.length).toBeGreaterThan(1);
  expect(asksAgain()).toBe(1);
});

test("futures are asked for one after the other and kept as siblings", async () => {
  const { forks, requests, settle } = bench();
  forks.open(entry, at);
  forks.choose({ kind: "action", action: { kind: "tool", name: "deny", args: {} } });
  forks.fork(1, "state");
  forks.fork(64, "history");
  expect(forks.getState().futures.map(({ outcome }) => outcome.kind)).toEqual(["running", "running"]);
  await settle();
  expect(requests.map(({ count, given, edit }) => [count, given, edit.kind])).toEqual([[1, "state", "action"], [64, "history", "action"]]);
  expect(forks.getState().futures.map(({ outcome }) => outcome.kind)).toEqual(["done", "done"]);
  const [first] = forks.getState().futures;
  forks.discard(first?.id ?? -1);
  expect(forks.getState().futures).toHaveLength(1);
});

test("what the run cut short says so", async () => {
  const { forks, settle } = bench(true);
  forks.open(entry, at);
  await settle();
  forks.fork(64, "history");
  await settle();
  expect(forks.getState().futures[0]?.outcome).toMatchObject({ kind: "failed", error: { code: "cut-short" } });
});

test("rewind puts another end in place of the recorded one, without its credit and truth; restore brings it back", async () => {
  const { forks, settle } = bench();
  forks.open(entry, at);
  forks.rewind();
  await settle();
  const { rewound, futures } = forks.getState();
  expect(futures).toEqual([]);
  const changed = rewoundGroup(group, rewound);
  expect(changed.members[1]).toBe(rewound.get(1)?.record);
  expect(changed.members[0]).toBe(group.members[0]);
  expect(changed.credits[0]?.credits[1]).toEqual(group.credits[0]?.credits[1]?.slice(0, 1));
  expect(changed.credits[0]?.credits[0]).toEqual(group.credits[0]?.credits[0]);
  expect(rewoundTruth(fakeTruth(group, "history"), rewound)?.members[1]?.turns).toHaveLength(1);
  forks.restore(1);
  expect(rewoundGroup(group, forks.getState().rewound)).toBe(group);
});

test("another group's forks are forgotten, the same group's are kept", async () => {
  const { forks, settle } = bench();
  forks.open(entry, at);
  forks.fork(1, "state");
  await settle();
  forks.open(entry, { member: 0, turn: 0 });
  expect(forks.getState().futures).toHaveLength(1);
  forks.open(other, { member: 0, turn: 0 });
  expect(forks.getState().futures).toEqual([]);
});

test("what was forked goes off the board with its group, and comes back with it, closed", async () => {
  const { forks, view, settle } = bench();
  forks.open(entry, at);
  await settle();
  forks.fork(1, "state");
  view.hold(4, other);
  expect(forks.getState()).toMatchObject({ entry: null, open: null, futures: [] });
  await settle();
  view.hold(3, entry);
  expect(forks.getState()).toMatchObject({ entry, open: null, futures: [{ at, outcome: { kind: "done" } }] });
});

test.each([
  ["is reset", [{ type: "session-reset" }]],
  ["starts anew, or a stored one is opened", [{ type: "session-starting", run: 2, config }]],
] as const)("nothing stays of it when the run %s", async (_, events) => {
  const { forks, run, view, settle } = bench();
  forks.open(entry, at);
  forks.fork(1, "state");
  run.apply(events);
  expect(forks.getState()).toMatchObject({ entry: null, open: null, futures: [] });
  await settle();
  view.hold(4, other);
  view.hold(3, entry);
  expect(forks.getState()).toMatchObject({ entry: null, open: null, futures: [] });
});

test("nothing stays of it when one goes back, not even beside the same group", async () => {
  const { forks, run, settle } = bench();
  forks.open(entry, at);
  forks.fork(1, "state");
  await settle();
  run.apply([{ type: "session-rewound", state: run.getState(), run: 2, config }]);
  expect(forks.getState()).toMatchObject({ entry: null, open: null, futures: [] });
});

test("an error belongs to the group that was asked about", async () => {
  const { forks, faults, view, settle } = bench();
  faults.set(group.groupId, "the trainer no longer holds it");
  forks.open(entry, at);
  // One that comes late is not told of the other group.
  view.hold(4, other);
  forks.open(other, at);
  await settle();
  expect(forks.getState()).toMatchObject({ entry: other, open: { error: null } });
  view.hold(3, entry);
  forks.open(entry, at);
  await settle();
  expect(forks.getState().open?.error?.message).toBe("the trainer no longer holds it");
  view.hold(4, other);
  expect(forks.getState().open).toBeNull();
  faults.clear();
  view.hold(3, entry);
  forks.open(entry, at);
  await settle();
  expect(forks.getState().open).toMatchObject({ error: null, options: { actions: expect.any(Array) } });
});

test("forking holds the group; beside a replaced end, what was recorded is forked", async () => {
  const { forks, run, view, settle } = bench();
  view.follow();
  run.apply([{ type: "group", update: 4, group: other.group }]);
  const [newest] = run.getState().groups;
  if (newest === undefined) throw new Error("there is no group");
  forks.open(newest, at);
  expect(view.getState().held).toBe(newest);
  forks.open({ ...newest, group: { ...newest.group } }, { member: 0, turn: 0 });
  expect(forks.getState().entry).toBe(newest);
  expect(view.getState().held).toBe(newest);
  await settle();
});
