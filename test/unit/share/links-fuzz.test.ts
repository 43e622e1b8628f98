import { beforeAll, describe, expect, test } from "vitest";
import { BoundaryError, LinkError } from "#core/errors.ts";
import { PRESETS, parseRunConfig, type RunConfig } from "#run/run-config.ts";
import { decodeEvidence } from "#share/evidence-codec.ts";
import { decodeRunLink } from "#share/run-link.ts";
import { withArena } from "#trainer/arena.ts";
import { replayRecorded } from "#trainer/replay.ts";
import { RIGHT_LINKS, spoiltLinks, type SpoiltLink } from "../../fixtures/spoilt-links.ts";

const COUNT = 2_000;
/** A frozen page is noticed from here on; the slowest of all may be. */
const PATIENCE = 100;

interface Outcome extends SpoiltLink {
  readonly milliseconds: number;
  /** Of what was not taken; empty where the mutation did no harm. */
  readonly messages: readonly string[];
  readonly config: RunConfig | null;
}

/** As the page opens a link. @throws whatever is no LinkError */
async function opened(kind: string, link: string): Promise<Outcome> {
  const since = performance.now();
  const messages: string[] = [];
  let config: RunConfig | null = null;
  try {
    const reading = await decodeRunLink(link);
    config = reading?.config ?? null;
    messages.push(...(reading?.notes ?? []).map(({ message }) => message));
    if (reading !== null && reading.extras.evidence !== null) {
      const read = decodeEvidence(reading.config, reading.extras.evidence);
      for (const { turns } of read.trajectories?.members ?? []) expect(turns.length).toBeLessThanOrEqual(128);
      for (const { drift, success } of read.marks) expect(Number.isFinite(drift) && success >= 0 && success <= 1).toBe(true);
    }
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    messages.push(error.message);
  }
  return { kind, link, milliseconds: performance.now() - since, messages, config };
}

/** Of those whose evidence can be read, so many are played as well. */
const PLAYED = 150;

describe(`${COUNT} spoilt links`, () => {
  const outcomes: Outcome[] = [];
  const right: string[] = [];
  beforeAll(async () => {
    // What reads links is compiled before anything is timed.
    for (const link of RIGHT_LINKS) right.push(...(await opened("right", link)).messages);
    for (const { kind, link } of spoiltLinks(COUNT, 20_261_129)) outcomes.push(await opened(kind, link));
  }, 60_000);

  test("what they were made of is right", () => {
    expect(right).toEqual([]);
  });

  test("none throws anything but a message, and each takes less than a tenth of a second", async () => {
    expect(outcomes).toHaveLength(COUNT);
    for (const { kind, link, milliseconds } of outcomes) {
      if (milliseconds < PATIENCE) continue;
      // The machine may have been busy with something else: the same link is slow every time.
      const again = [await opened(kind, link), await opened(kind, link), await opened(kind, link)].map((outcome) => outcome.milliseconds);
      expect(Math.min(...again), `${kind}: ${link.slice(0, 200)}`).toBeLessThan(PATIENCE);
    }
  });

  test("spoilt trajectories that can be read are played, or refused with a message", async () => {
    let [played, refused] = [0, 0];
    for (const { link, config } of outcomes) {
      if (played + refused >= PLAYED || config?.environment.id !== "refund-desk") continue;
      try {
        const reading = await decodeRunLink(link);
        if (reading === null || reading.extras.evidence === null) continue;
        const { trajectories } = decodeEvidence(reading.config, reading.extras.evidence);
        if (trajectories === null) continue;
        const group = await withArena(reading.config, (arena) => replayRecorded(arena, { config: reading.config, recorded: trajectories }));
        expect(group.members.length).toBeLessThanOrEqual(8);
        played += 1;
      } catch (error) {
        if (!(error instanceof BoundaryError)) throw error;
        refused += 1;
      }
    }
    expect(Math.min(played, refused)).toBeGreaterThan(10);
  }, 60_000);

  test("what is taken are settings that a run can have", () => {
    for (const { config } of outcomes) if (config !== null) expect(() => parseRunConfig(config)).not.toThrow();
    expect(outcomes.some(({ config }) => config !== null)).toBe(true);
  });

  // Of a text that was cut between two settings nobody can tell; of evidence it is always seen.
  test("evidence that was cut or lengthened is always told", () => {
    const silent = outcomes.filter(({ kind, link, messages }) => kind === "cut or lengthened before it was packed" && /&e=/.test(link) && messages.length === 0);
    expect(silent.map(({ link }) => link.slice(0, 300))).toEqual([]);
    expect(outcomes.filter(({ kind, link }) => kind === "cut or lengthened before it was packed" && /&e=/.test(link)).length).toBeGreaterThan(50);
  });

  test.each(["a bomb", "far too long", "a key that reaches a prototype"])("%s is always told", (kind) => {
    const silent = outcomes.filter((outcome) => outcome.kind === kind && outcome.messages.length === 0);
    expect(silent.map(({ link }) => link.slice(0, 300))).toEqual([]);
  });

  test("messages are sentences of a readable length, and no name reached a prototype", () => {
    const told = outcomes.flatMap(({ messages }) => messages);
    expect(told.length).toBeGreaterThan(COUNT / 2);
    for (const message of told) {
      expect(message.length).toBeGreaterThan(10);
      expect(message).not.toMatch(/undefined|\[object|NaN\b.*NaN/);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(PRESETS)).not.toContain("__proto__");
  });
});
