import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import { createDraftStore } from "#store/draft-store.ts";
import { createLinkStore, type AddressBar } from "#store/link-store.ts";
import { createRunStore } from "#store/run-store.ts";
import { createViewStore } from "#store/view-store.ts";
import { fakeGroup, started } from "../../fixtures/fake-run.ts";

/** What reads links is loaded once, by the first that needs it. */
beforeAll(() => setUp().links.current());
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);
const preset = PRESETS["refund-desk"];
const entryOf = (update: number) => ({ update, group: fakeGroup(update, 4, 0.5, createRng(update)) });

function setUp(fragment = "") {
  const written: string[] = [];
  const listeners = new Set<() => void>();
  let shown = fragment;
  const address: AddressBar = {
    read: () => shown,
    replace: (next) => {
      shown = next;
      written.push(next);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isOwn: () => false,
    isPlay: (text) => !text.startsWith("#/about"),
  };
  const draft = createDraftStore(preset);
  const run = createRunStore();
  const recorded = entryOf(0);
  const view = createViewStore({ held: recorded, selection: { member: 1, turn: 1 } });
  const trainer = { events: () => [], replay: () => new Promise<never>(() => {}), chooseBackend: () => {}, restart: () => {} };
  const links = createLinkStore({ draft, view, run, trainer, recorded, address });
  const go = (next: string): void => {
    shown = next;
    for (const listener of listeners) listener();
  };
  const reach = (...updates: readonly number[]) => run.apply([started(preset), ...updates.map((update) => ({ type: "group" as const, ...entryOf(update) }))]);
  return { links, draft, view, run, written, go, recorded, reach };
}

test("a page that is opened bare keeps its bare address until something is set", async () => {
  const { links, draft, written } = setUp();
  links.open();
  await settled();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(written).toEqual([]);
  draft.set("algorithm.groupSize", 16);
  draft.set("seed", 7);
  await vi.advanceTimersByTimeAsync(499);
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(written).toEqual(["#/play?v=1&p=refund-desk&algorithm.groupSize=16&s=7"]);
});

test("a wrong setting is not written; what is looked at is", async () => {
  const { links, draft, view, written, recorded } = setUp();
  links.open();
  await settled();
  draft.set("algorithm.groupSize", 900);
  view.select(recorded, { member: 2, turn: 0 });
  await vi.advanceTimersByTimeAsync(500);
  expect(written).toEqual(["#/play?v=1&p=refund-desk&s=1&u=0&m=2&t=0"]);
  view.home();
  await vi.advanceTimersByTimeAsync(500);
  expect(written.at(-1)).toBe("#/play?v=1&p=refund-desk&s=1");
});

test("a link sets everything; what it looks at is shown when the run gets there", async () => {
  const { links, draft, view, reach } = setUp("#/play?v=1&p=refund-desk&algorithm.groupSize=4&s=9&u=3&m=2&t=1");
  links.open();
  await settled();
  expect(draft.getState().config).toMatchObject({ seed: 9, algorithm: { groupSize: 4 } });
  expect(links.getState()).toMatchObject({ trouble: null, awaited: { update: 3, selection: { member: 2, turn: 1 }, isTold: true } });
  view.follow();
  reach(1, 2);
  expect(view.getState().at).toBeNull();
  expect(await links.current()).toContain("u=3&m=2&t=1");
  reach(3);
  expect(view.getState()).toMatchObject({ at: 3, selection: { member: 2, turn: 1 }, held: { update: 3 } });
  expect(links.getState().awaited).toBeNull();
  expect(await links.current()).toContain("u=3&m=2&t=1");
});

test("a choice made before it is reached counts more", async () => {
  const { links, view, reach, run } = setUp("#/play?v=1&u=3&m=2&t=1");
  links.open();
  await settled();
  reach(1);
  const [first] = run.getState().groups;
  if (first !== undefined) view.select(first, { member: 0, turn: 0 });
  expect(links.getState().awaited).toBeNull();
  reach(2, 3);
  expect(view.getState()).toMatchObject({ at: 1, selection: { member: 0, turn: 0 } });
});

test("the recorded group can be looked at by a link, and a turn that is not there leaves the group", async () => {
  const { links, view } = setUp("#/play?v=1&u=0&m=3&t=0");
  links.open();
  await settled();
  expect(view.getState()).toMatchObject({ at: 0, selection: { member: 3, turn: 0 } });
  const other = setUp("#/play?v=1&u=0&m=9&t=9");
  other.links.open();
  await settled();
  expect(other.view.getState()).toMatchObject({ at: 0, held: other.recorded });
});

test("a link typed over the address is taken too, and a run under way keeps its settings", async () => {
  const { links, draft, run, go, reach } = setUp();
  links.open();
  await settled();
  reach(1);
  go("#/play?v=1&p=refund-desk-4-orders&s=5");
  await settled();
  expect(draft.getState().config).toEqual({ ...PRESETS["refund-desk-4-orders"], seed: 5 });
  expect(run.getState().config).toBe(preset);
});

test("a malformed link leaves the settings, says what is wrong and keeps its text", async () => {
  const { links, draft, go, written } = setUp("#/play?v=one&p=refund-desk");
  links.open();
  await settled();
  expect(draft.getState().config).toBe(preset);
  expect(links.getState().trouble).toEqual({
    kind: "malformed", messages: ["The link's version is “one”; allowed: a whole number from 1."], original: "#/play?v=one&p=refund-desk",
  });
  await vi.advanceTimersByTimeAsync(1_000);
  links.dismiss();
  expect(links.getState().trouble).toBeNull();
  go("#/play?v=1&z=%%%");
  await settled();
  expect(links.getState().trouble?.kind).toBe("malformed");
  expect(written.every((fragment) => fragment.startsWith("#/play?v=1&p=refund-desk"))).toBe(true);
});

test("what was not taken is listed, and what is not known stays in the address", async () => {
  const { links } = setUp("#/play?v=2&algorithm.groupSize=900&lens=side&s=3");
  links.open();
  await settled();
  const { trouble } = links.getState();
  expect(trouble).toMatchObject({ kind: "partly", original: "#/play?v=2&algorithm.groupSize=900&lens=side&s=3" });
  expect(trouble?.messages).toHaveLength(3);
  expect(trouble?.messages).toContain("“algorithm.groupSize” is 900, taken as 64.");
  expect(await links.current()).toBe("#/play?v=1&p=refund-desk&algorithm.groupSize=64&s=3&lens=side");
});

test("another page's address is left alone", async () => {
  const { links, draft, go, written } = setUp();
  links.open();
  await settled();
  go("#/about");
  await settled();
  draft.set("seed", 8);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([]);
  go("#/play");
  await settled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(["#/play?v=1&p=refund-desk&s=8"]);
});
