import { deflateSync, inflateSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { LinkError } from "#core/errors.ts";
import { createRng, drawIndex } from "#core/rng.ts";
import { PRESETS, parseRunConfig, type RunConfig } from "#run/run-config.ts";
import { decodeEvidence } from "#share/evidence-codec.ts";
import { decodeRunLink, LINK_LIMIT } from "#share/run-link.ts";
import golden from "../../fixtures/golden-links.json" with { type: "json" };
import evidence from "../../fixtures/golden-evidence.json" with { type: "json" };

/** Links that are right, to be spoilt: readable, packed, with evidence, with locks and a frame. */
const RIGHT: readonly string[] = [
  ...golden.map(({ link }) => link),
  ...evidence.map(({ link }) => link),
  "#/play?v=1&p=sokoban&s=4&lock=credit.seed&embed=1&panel=curves&theme=dark",
];

const rng = createRng(20_261_129);
const pick = <T>(values: readonly T[], fallback: T): T => values[drawIndex(rng, values.length)] ?? fallback;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const SCRIPTS = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "\"><svg onload=alert(1)>", "%3Cscript%3Ealert(1)%3C%2Fscript%3E", "{{constructor.constructor('alert(1)')()}}", "\u202e\u0000\uFFFF",
];
const NUMBERS = ["1e999", "-1e999", "NaN", "Infinity", "99999999999999999999999", "-0", "0x10", "1e-400", "9007199254740993", "", " ", "1,5", "null", "true", "[]", "{}"];
const KEYS = ["__proto__", "constructor", "prototype", "__proto__.polluted", "constructor.prototype.polluted", "algorithm.__proto__.polluted", "environment.constructor", "toString", "hasOwnProperty", "algorithm.credit.__proto__"];

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64url"));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const packedPart = (link: string): string | undefined => /[?&][ez]=([^&]*)/.exec(link)?.[1];

/** One kind of damage each. */
const MUTATIONS: Readonly<Record<string, (link: string) => string>> = {
  truncated: (link) => link.slice(0, 8 + drawIndex(rng, Math.max(1, link.length - 8))),
  "a character changed": (link) => {
    const at = 8 + drawIndex(rng, Math.max(1, link.length - 8));
    return link.slice(0, at) + pick([...ALPHABET, "%", "&", "=", "#", "?", "<", "ü"], "A") + link.slice(at + 1);
  },
  "a bit flipped in what was packed": (link) => {
    const packed = packedPart(link);
    if (packed === undefined) return `${link}&e=AAAA`;
    const bytes = bytesOf(packed);
    const at = drawIndex(rng, Math.max(1, bytes.length));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << drawIndex(rng, 8));
    return link.replace(packed, textOf(bytes));
  },
  "a byte changed before it was packed": (link) => {
    const packed = packedPart(link);
    if (packed === undefined) return `${link}&e=${textOf(deflateSync(new Uint8Array([1, 0, 0, 0])))}`;
    const bytes = inflateSync(bytesOf(packed));
    for (let times = 1 + drawIndex(rng, 3); times > 0; times -= 1) bytes[drawIndex(rng, bytes.length)] = pick([0, 1, 0x7f, 0x80, 0xff, drawIndex(rng, 256)], 0);
    return link.replace(packed, textOf(deflateSync(bytes)));
  },
  "cut or lengthened before it was packed": (link) => {
    const packed = packedPart(link);
    if (packed === undefined) return `${link}&z=${textOf(deflateSync(new Uint8Array(64)))}`;
    const bytes = inflateSync(bytesOf(packed));
    const changed = drawIndex(rng, 2) === 0 ? bytes.slice(0, drawIndex(rng, bytes.length)) : new Uint8Array([...bytes, ...Array.from({ length: 1 + drawIndex(rng, 40) }, () => drawIndex(rng, 256))]);
    return link.replace(packed, textOf(deflateSync(changed)));
  },
  "a wrong type or a huge number": (link) => {
    const names = [...link.matchAll(/[?&]([^=&]+)=/g)].map(([, name = ""]) => name).filter((name) => name !== "v");
    const name = pick([...names, "algorithm.learningRate", "updates", "u", "m", "t", "s"], "s");
    const value = encodeURIComponent(pick(NUMBERS, "NaN"));
    return link.includes(`&${name}=`) ? link.replace(new RegExp(`&${name.replaceAll(".", "\\.")}=[^&]*`), `&${name}=${value}`) : `${link}&${name}=${value}`;
  },
  "a key that reaches a prototype": (link) => `${link}&${encodeURIComponent(pick(KEYS, "__proto__"))}=${pick(NUMBERS, "1")}`,
  "script text": (link) => `${link}&${encodeURIComponent(pick(["p", "lock", "panel", "theme", "embed", "lens", "from", pick(SCRIPTS, "")], "p"))}=${encodeURIComponent(pick(SCRIPTS, ""))}`.replace(/&p=[^&]*(?=.*&p=)/, ""),
  "a bomb": (link) => `${link.replace(/&e=.*$/, "")}&${pick(["e", "z"], "e")}=${textOf(deflateSync(new Uint8Array(pick([100_000, 1_000_000, 4_000_000], 100_000)), { level: 9 })).slice(0, LINK_LIMIT - link.length)}`,
  "far too long": (link) => `${link}&x=${"A".repeat(pick([8_000, 100_000, 1_000_000], 8_000))}`,
};
const KINDS = Object.entries(MUTATIONS);
const COUNT = 2_000;
/** A frozen page is noticed from here on; the slowest of all may be. */
const PATIENCE = 100;

interface Outcome {
  readonly kind: string;
  readonly link: string;
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

describe(`${COUNT} spoilt links`, () => {
  const outcomes: Outcome[] = [];
  beforeAll(async () => {
    // What reads links is compiled before anything is timed.
    for (const link of RIGHT) expect((await opened("right", link)).messages).toEqual([]);
    for (let index = 0; index < COUNT; index += 1) {
      const [kind, mutate] = KINDS[index % KINDS.length] ?? ["", (link: string) => link];
      outcomes.push(await opened(kind, mutate(pick(RIGHT, ""))));
    }
  }, 60_000);

  test("none throws anything but a message, and each takes less than a tenth of a second", async () => {
    expect(outcomes).toHaveLength(COUNT);
    for (const { kind, link, milliseconds } of outcomes) {
      if (milliseconds < PATIENCE) continue;
      // The machine may have been busy with something else: the same link is slow every time.
      const again = [await opened(kind, link), await opened(kind, link), await opened(kind, link)].map((outcome) => outcome.milliseconds);
      expect(Math.min(...again), `${kind}: ${link.slice(0, 200)}`).toBeLessThan(PATIENCE);
    }
  });

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
