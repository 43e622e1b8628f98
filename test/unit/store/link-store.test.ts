import { deflateSync } from "fflate";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createRng } from "#core/rng.ts";
import { PRESETS } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { createDraftStore } from "#store/draft-store.ts";
import { createLinkStore, type AddressBar } from "#store/link-store.ts";
import { createRunStore } from "#store/run-store.ts";
import { createStartGate } from "#store/start-gate.ts";
import { createViewStore } from "#store/view-store.ts";
import { fakeGroup, fakeMetrics, started } from "../../fixtures/fake-run.ts";
import evidence from "../../fixtures/golden-evidence.json" with { type: "json" };

/** What reads links is loaded once, by the first that needs it. */
beforeAll(async () => {
  await setUp().links.current();
  await import("#store/shared-run.ts");
});
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);
const preset = PRESETS["refund-desk"];
const entryOf = (update: number) => ({ update, group: fakeGroup(update, 4, 0.5, createRng(update)) });

type Opened = ReturnType<typeof setUp>;

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
  const gate = createStartGate();
  const run = createRunStore();
  const recorded = entryOf(0);
  const view = createViewStore(() => ({ held: recorded, selection: { member: 1, turn: 1 } }));
  const log: RunEvent[] = [];
  const trainer = { events: () => log, replay: () => new Promise<never>(() => {}), chooseBackend: () => {}, restart: () => {} };
  const links = createLinkStore({ draft, gate, view, run, trainer, recorded: () => (draft.getState().config.environment.id === preset.environment.id ? recorded : null), address });
  const go = (next: string): void => {
    shown = next;
    for (const listener of listeners) listener();
  };
  const reach = (...updates: readonly number[]) => run.apply([started(preset), ...updates.map((update) => ({ type: "group" as const, ...entryOf(update) }))]);
  return { links, draft, gate, view, run, written, go, recorded, reach, log };
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

test.each([
  ["readable", "p=refund-desk&algorithm.groupSize=4&s=9&lock=seed&embed=1&panel=why&theme=dark"],
  ["in another order", "theme=dark&panel=why&p=refund-desk&embed=1&algorithm.groupSize=4&s=9&lock=seed"],
  ["packed", `z=${Buffer.from(deflateSync(new TextEncoder().encode("p=refund-desk&algorithm.groupSize=4&s=9&lock=seed&embed=1&panel=why&theme=dark"))).toString("base64url")}`],
])("a framed link leads to the whole page, %s", async (_, content) => {
  const { links } = setUp(`#/play?v=1&${content}`);
  links.open();
  await settled();
  // What packed links need is loaded when the first is met.
  await vi.waitFor(() => expect(links.getState().frame).toEqual({ panel: "why", theme: "dark" }));
  expect(await links.unframed()).toBe("#/play?v=1&p=refund-desk&algorithm.groupSize=4&s=9&lock=seed");
  expect(await links.current()).toContain("embed=1");
});

test("a turn of the recorded group is looked at where its environment is set; elsewhere nothing is waited for", async () => {
  const { links, view, recorded, go } = setUp("#/play?v=1&p=refund-desk&u=0&m=2&t=0");
  links.open();
  await settled();
  expect(view.getState()).toMatchObject({ held: recorded, selection: { member: 2, turn: 0 }, at: 0 });
  view.home();
  go("#/play?v=1&p=sokoban&u=0&m=2&t=0");
  await settled();
  expect(links.getState().awaited).toBeNull();
  expect(view.getState().selection).toEqual({ member: 1, turn: 1 });
});

test.each([
  ["of a link, with what that says", "#/play?v=1&s=9", () => {}, [9]],
  ["of a bare address", "", () => {}, [1]],
  ["of another page", "#/about", () => {}, [1]],
  ["of a link that cannot be read: not at all", "#/play?v=1&s=%", () => {}, []],
  ["of a link that another one follows, with what that says", "#/play?v=1&s=9", ({ go }: Opened) => go("#/play?v=1&s=11"), [11]],
  ["of a link that is left for another page: not at all", "#/play?v=1&s=9", ({ go }: Opened) => go("#/about"), []],
  ["of a link that replaces what was set meanwhile: not at all", "#/play?v=1&s=9", ({ draft }: Opened) => draft.set("algorithm.groupSize", 4), []],
] as const)("a run that is asked for at the opening %s", async (_name, address, then, seeds) => {
  const opened = setUp(address);
  const started: number[] = [];
  opened.links.open();
  opened.gate.pass(() => started.push(opened.draft.getState().config.seed));
  then(opened);
  await settled();
  expect(started).toEqual(seeds);
  // Whatever became of it, the next one starts.
  opened.gate.pass(() => started.push(0));
  expect(started).toEqual([...seeds, 0]);
});

test("a link that is being read stays in the address, whatever is looked at meanwhile", async () => {
  const { links, view, recorded, written } = setUp("#/play?v=1&s=9&p=refund-desk");
  links.open();
  view.select(recorded, { member: 0, turn: 0 });
  expect(written).toEqual([]);
  await settled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(["#/play?v=1&p=refund-desk&s=9&u=0&m=0&t=0"]);
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

test("the address of no page is said to be none, until another one is gone to", async () => {
  const { links, draft, go } = setUp("#/nowhere");
  links.open();
  await settled();
  expect(links.getState().trouble).toEqual({ kind: "nowhere", messages: [], original: "#/nowhere" });
  go("#/about");
  await settled();
  expect(links.getState().trouble).toBeNull();
  for (const fragment of ["#/play", "", "#/", "#/play?v=1&s=3", "#/play/?v=1&s=3"]) {
    go(fragment);
    await settled();
    expect(links.getState().trouble, fragment).toBeNull();
  }
  go("#/playing?v=1&p=refund-desk&s=9");
  await settled();
  expect(links.getState().trouble?.kind).toBe("nowhere");
  expect(draft.getState().config.seed).toBe(3);
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

test("evidence stays in the address as long as the settings are those it tells of, and a verdict comes as a run of them goes on", async () => {
  const [golden] = evidence;
  if (golden === undefined) throw new Error("there is no link");
  const { links, draft, run, written, log } = setUp(golden.link);
  links.open();
  await vi.waitFor(() => expect(links.getState().opened?.shared).toBeTruthy());
  const shared = links.getState().opened?.shared;
  if (shared === null || shared === undefined) throw new Error("it was not opened");
  expect(shared.evidence.marks.map(({ hash }) => hash)).toEqual(golden.evidence.marks.map(({ hash }) => hash));
  expect(await links.current()).toContain("&e=");

  const updateOf = (update: number, hash: number): RunEvent => ({
    type: "update", update, metrics: fakeMetrics(update, createRng(update)), mark: { hash, drift: 1 }, timing: { seconds: update, rollout: 0, learn: 0 },
  });
  const hashAt = (update: number): number => golden.evidence.marks[update - 1]?.hash ?? 0;
  const tell = async (...events: readonly RunEvent[]): Promise<void> => {
    run.apply(events);
    log.push(...events);
    await settled();
  };
  await tell({ ...started(shared.config), fingerprint: golden.evidence.start.toString(16).padStart(8, "0") } as RunEvent, updateOf(1, hashAt(1)));
  expect(shared.getState().verdict).toEqual({ kind: "same", until: 1, isWhole: false });
  await tell(updateOf(2, hashAt(2)), updateOf(3, hashAt(3) ^ 1));
  expect(shared.getState().verdict).toEqual({ kind: "diverged", after: 2, by: 3, what: "bits" });
  // Other settings on the way, though they are the link's again by now: not a run to compare.
  const other = { type: "settings-changed", update: 3, config: { ...shared.config, evaluation: { ...shared.config.evaluation, every: 7 } } } as const;
  await tell(other, { ...other, config: shared.config }, updateOf(4, hashAt(4)));
  expect(shared.getState().verdict).toBeNull();

  draft.set("algorithm.groupSize", 4);
  await vi.advanceTimersByTimeAsync(500);
  expect(written.at(-1)).not.toContain("&e=");
  draft.replace(shared.config);
  await vi.advanceTimersByTimeAsync(500);
  expect(written.at(-1)).toContain("&e=");
});

test("evidence that cannot be read is told, kept in the address, and the settings are taken", async () => {
  const { links, draft } = setUp("#/play?v=1&p=refund-desk&s=44&e=Y2TI");
  links.open();
  await vi.waitFor(() => expect(links.getState().trouble).toBeTruthy());
  expect(links.getState().trouble).toMatchObject({ kind: "partly", original: "#/play?v=1&p=refund-desk&s=44&e=Y2TI" });
  expect(links.getState().trouble?.messages.join(" ")).toMatch(/damaged.*the settings were taken without it/);
  expect(draft.getState().config.seed).toBe(44);
  expect(await links.current()).toContain("&e=Y2TI");
});

test("the notice of shared settings goes for good once another preset is chosen", async () => {
  const { links, draft } = setUp("#/play?v=1&p=refund-desk&s=7");
  links.open();
  await vi.waitFor(() => expect(links.getState().opened?.config.preset).toBe("refund-desk"));
  draft.set("seed", 9);
  expect(links.getState().opened).not.toBeNull();
  const another = Object.values(PRESETS).find((known) => known.preset !== "refund-desk");
  draft.replace(another ?? preset);
  expect(links.getState().opened).toBeNull();
  draft.replace(preset);
  expect(links.getState().opened).toBeNull();
});
