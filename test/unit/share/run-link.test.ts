import fc from "fast-check";
import { deflateSync } from "fflate";
import type * as v from "valibot";
import { getMetadata } from "valibot";
import { describe, expect, test } from "vitest";
import golden from "../../fixtures/golden-links.json" with { type: "json" };
import { ConfigError, LinkError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { parseRunConfig, PRESETS, runConfigSchema, setPath, type RunConfig } from "#run/run-config.ts";
import { NO_EXTRAS } from "#share/link-extras.ts";
import { decodeRunLink, encodeRunLink, LINK_LIMIT, type LinkReading, type LinkView } from "#share/run-link.ts";

const preset = PRESETS["refund-desk"];
const link = (rest: string): string => `#/play?v=1&p=refund-desk&${rest}`;
const packed = (text: string | Uint8Array): string =>
  Buffer.from(deflateSync(typeof text === "string" ? new TextEncoder().encode(text) : text)).toString("base64url");

async function read(fragment: string): Promise<LinkReading> {
  const reading = await decodeRunLink(fragment);
  if (reading === null) throw new Error("the fragment says nothing");
  return reading;
}

const at = (tree: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], tree);

describe("round trips", () => {
  test.each(Object.values(PRESETS))("preset $preset is its own name and seed", async (config) => {
    const fragment = await encodeRunLink({ config, view: null, unknown: [] });
    expect(fragment).toBe(`#/play?v=1&p=${config.preset}&s=${config.seed}`);
    expect(await read(fragment)).toEqual({ version: 1, config, view: null, unknown: [], extras: NO_EXTRAS, notes: [] });
  });

  type Schema = v.GenericSchema & { readonly [key: string]: unknown };
  /** Any value that a place takes. */
  const valueOf = (schema: Schema): fc.Arbitrary<unknown> => {
    switch (schema.type) {
      case "strict_object":
        return fc.record(Object.fromEntries(Object.entries(schema["entries"] as Record<string, Schema>).map(([key, child]) => [key, valueOf(child)])));
      case "variant":
        return fc.oneof(...(schema["options"] as readonly Schema[]).map(valueOf));
      case "nullable":
        return fc.oneof(fc.constant(null), valueOf(schema["wrapped"] as Schema));
      case "literal":
        return fc.constant(schema["literal"]);
      case "picklist":
        return fc.constantFrom(...(schema["options"] as readonly string[]));
      case "boolean":
        return fc.boolean();
      case "string":
        if ("allowed" in getMetadata(schema)) return fc.constantFrom("", "5#|#@$.#|5#:R");
        return fc.oneof(fc.constantFrom("base", "blank", "null", "true", "12", "a&b=c", "%41", "ä + ü#?/"), fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }));
      case "number": {
        const { min, max, step } = getMetadata(schema) as { readonly min: number; readonly max: number; readonly step?: number };
        if (Number.isInteger(step)) return fc.integer({ min: 0, max: (max - min) / (step ?? 1) }).map((steps) => min + steps * (step ?? 1));
        return fc.double({ min, max, noNaN: true }).map((value) => value + 0);
      }
      default:
        throw new Error(`this test knows no ${schema.type}: does the link?`);
    }
  };
  const parses = (config: unknown): boolean => {
    try {
      parseRunConfig(config);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return false;
    }
  };
  const number = (most: number) => fc.integer({ min: 0, max: most });
  const view: fc.Arbitrary<LinkView | null> = fc.option(
    fc.record({ update: number(5000), selection: fc.option(fc.record({ member: number(63), turn: number(15) })) }),
  );

  test("500 random configurations come back as they were, with their view", async () => {
    const configs = valueOf(runConfigSchema as unknown as Schema).filter(parses) as fc.Arbitrary<RunConfig>;
    await fc.assert(
      fc.asyncProperty(configs, view, async (config, looked) => {
        const fragment = await encodeRunLink({ config, view: looked, unknown: [] });
        expect(fragment.length).toBeLessThanOrEqual(LINK_LIMIT);
        expect(await read(fragment)).toEqual({ version: 1, config, view: looked, unknown: [], extras: NO_EXTRAS, notes: [] });
      }),
      { numRuns: 500 },
    );
  });

  test("one changed setting is one readable parameter", async () => {
    const fragment = await encodeRunLink({ config: setPath(preset, "algorithm.groupSize", "16"), view: { update: 12, selection: { member: 1, turn: 2 } }, unknown: [] });
    expect(fragment).toBe("#/play?v=1&p=refund-desk&algorithm.groupSize=16&s=1&u=12&m=1&t=2");
  });

  test("another entry names only where it differs from that entry's defaults", async () => {
    const config = setPath(setPath(preset, "algorithm.credit", "gigpo"), "algorithm.credit.omega", "0.5");
    expect(await encodeRunLink({ config, view: null, unknown: [] })).toBe("#/play?v=1&p=refund-desk&algorithm.credit=gigpo&algorithm.credit.omega=0.5&s=1");
  });

  test("a long link is packed and says the same", async () => {
    const config = { ...preset, from: `runs/${"policy-".repeat(55)}` };
    const long = await encodeRunLink({ config, view: null, unknown: [["later.a", "x".repeat(300)]] });
    expect(long).toMatch(/^#\/play\?v=1&z=[\w-]+$/);
    expect(long.length).toBeLessThan(400);
    expect(await read(long)).toMatchObject({ config, unknown: [["later.a", "x".repeat(300)]] });
  });

  test("half a character does not stop a link from being written", async () => {
    expect(await encodeRunLink({ config: { ...preset, from: "a\ud800b" }, view: null, unknown: [] })).toContain("from=a%EF%BF%BDb");
  });

  test("what is too long to pass on is left out of the link", async () => {
    const rng = createRng(1);
    const noise = Array.from({ length: 12_000 }, () => Math.floor(rng.next() * 36).toString(36)).join("");
    const fragment = await encodeRunLink({ config: preset, view: null, unknown: [["later", noise]] });
    expect(fragment).toBe("#/play?v=1&p=refund-desk&s=1");
  });
});

test.each(golden)("golden link $link", async ({ link: fragment, settings, view }) => {
  const reading = await read(fragment);
  expect(reading).toMatchObject({ version: 1, notes: [], unknown: [] });
  expect(reading.view).toEqual(view);
  for (const [path, value] of Object.entries(settings)) expect(at(reading.config, path), path).toEqual(value);
});

test.each(["", "#", "#/", "#/play", "#/play?", "#/about", "#/about?v=1&p=refund-desk"])("“%s” is no link", async (fragment) => {
  expect(await decodeRunLink(fragment)).toBeNull();
});

describe("a link that cannot be read at all", () => {
  const bomb = packed(new Uint8Array(20_000_000));
  test.each([
    ["escape", "#/play?v=1&p=%E0%A4%A"],
    ["version-missing", "#/play?p=refund-desk&s=1"],
    ["version", "#/play?v=one&p=refund-desk"],
    ["version", "#/play?v=0&p=refund-desk"],
    ["version", "#/play?v=&p=refund-desk"],
    ["too-long", link(`x=${"y".repeat(LINK_LIMIT)}`)],
    ["packed-characters", "#/play?v=1&z=a*b"],
    ["packed-characters", "#/play?v=1&z="],
    ["packed-broken", "#/play?v=1&z=AAAAA"],
    ["packed-broken", `#/play?v=1&z=${packed("p=refund-desk&algorithm.groupSize=16&s=3").slice(0, -8)}`],
    ["packed-broken", `#/play?v=1&z=${packed(Uint8Array.of(0x73, 0xff, 0xfe))}`],
    ["escape", `#/play?v=1&z=${packed("p=%zz")}`],
    ["packed-too-large", `#/play?v=1&z=${packed(new Uint8Array(70_000))}`],
  ])("%s (case %#)", async (fault, fragment) => {
    const refused = await decodeRunLink(fragment).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LinkError);
    expect(refused).toMatchObject({ code: "link", detail: { fault } });
  });

  test("a text made to explode is noticed before it does", async () => {
    expect(bomb.length).toBeGreaterThan(LINK_LIMIT);
    await expect(decodeRunLink(`#/play?v=1&z=${bomb}`)).rejects.toThrow(/allowed are up to 8000/);
    // What fits into the longest link that is read unfolds to some megabytes at most.
    const fits = packed(new Uint8Array(5_000_000));
    expect(fits.length).toBeLessThan(LINK_LIMIT);
    // Only reading is timed, and generously: the limit named in the message is what shows that it stopped early.
    const since = performance.now();
    await expect(decodeRunLink(`#/play?v=1&z=${fits}`)).rejects.toThrow(/unfolds to more than 65536 bytes/);
    expect(performance.now() - since).toBeLessThan(2000);
  });
});

describe("what is wrong with one parameter leaves the others alone", () => {
  test.each([
    ["unknown", "algorithm.lookahead=3", "algorithm.lookahead"],
    ["unknown", "__proto__.polluted=1", "__proto__.polluted"],
    ["unknown", "algorithm.constructor.prototype=1", "algorithm.constructor.prototype"],
    ["unknown", "algorithm.credit.__proto__=1", "algorithm.credit.__proto__"],
    ["unknown", "version=3", "version"],
    ["unknown", "=3", ""],
    ["unknown", "seed.x=3", "seed.x"],
    ["refused", "algorithm.groupSize=many", "algorithm.groupSize"],
    ["refused", "algorithm.groupSize=", "algorithm.groupSize"],
    ["refused", "algorithm.groupSize=NaN", "algorithm.groupSize"],
    ["refused", "algorithm=grpo", "algorithm"],
    ["refused", "algorithm.credit=clairvoyance", "algorithm.credit"],
    ["refused", "algorithm.objective.aggregation=median", "algorithm.objective.aggregation"],
    ["refused", "policy.valueHead=1", "policy.valueHead"],
    ["refused", `from=${"x".repeat(500)}`, "from"],
    ["conflict", "environment.ambiguousShare=0.9", "environment"],
    ["conflict", "algorithm.groupsPerUpdate=1", "algorithm.minibatches"],
  ])("%s (case %#)", async (kind, parameter, key) => {
    const reading = await read(`${link("algorithm.warmup=9&s=3")}&${parameter}`);
    expect(reading.notes).toEqual([expect.objectContaining({ kind, key })]);
    expect(reading.config).toEqual({ ...preset, seed: 3, algorithm: { ...preset.algorithm, warmup: kind === "conflict" && key.startsWith("algorithm") ? preset.algorithm.warmup : 9 } });
    expect(reading.unknown).toHaveLength(kind === "unknown" ? 1 : 0);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test.each([
    ["algorithm.groupSize=900", "algorithm.groupSize", 64],
    ["algorithm.groupSize=-1", "algorithm.groupSize", 2],
    ["algorithm.groupSize=8.4", "algorithm.groupSize", 8],
    ["algorithm.groupSize=1e999", "algorithm.groupSize", 64],
    ["policy.width=70", "policy.width", 64],
    ["algorithm.learningRate=5", "algorithm.learningRate", 0.01],
    ["s=99999999999", "seed", 4294967295],
    ["algorithm.objective.dualClip=1", "algorithm.objective.dualClip", 1.01],
  ])("clamped: %s", async (parameter, key, value) => {
    const reading = await read(link(parameter));
    expect(reading.notes).toEqual([expect.objectContaining({ kind: "clamped", key })]);
    expect(at(reading.config, key)).toBe(value);
  });

  test("a preset that is not known, a name given twice, a view out of range", async () => {
    expect(await read("#/play?v=1&p=pancakes&s=4")).toMatchObject({ config: { preset: "refund-desk", seed: 4 }, notes: [{ kind: "refused", key: "p" }] });
    expect(await read(link("s=4&s=5"))).toMatchObject({ config: { seed: 4 }, notes: [{ kind: "repeated", key: "s" }] });
    expect(await read(link("u=3&m=1&t=-2"))).toMatchObject({ view: { update: 3, selection: null }, notes: [{ kind: "refused", key: "t" }] });
    expect((await read(link("m=1&t=2"))).view).toBeNull();
  });

  test("a newer version is loaded as far as it is known, and what is not known is passed on", async () => {
    const reading = await read("#/play?v=2&p=refund-desk&algorithm.groupSize=4&lens=side&s=9");
    expect(reading).toMatchObject({ version: 2, config: { seed: 9, algorithm: { groupSize: 4 } }, unknown: [["lens", "side"]] });
    expect(reading.notes.map(({ kind }) => kind)).toEqual(["newer", "unknown"]);
    expect(await encodeRunLink(reading)).toBe("#/play?v=1&p=refund-desk&algorithm.groupSize=4&s=9&lens=side");
  });

  test("an entry may stand behind its own settings", async () => {
    expect(await read(link("algorithm.credit.omega=0.5&algorithm.credit.id=gigpo"))).toMatchObject({ notes: [], config: { algorithm: { credit: { id: "gigpo", omega: 0.5 } } } });
  });

  test("settings that do not fit together: those the complaint names are left out", async () => {
    const reading = await read(link("algorithm.minibatches=9&algorithm.groupsPerUpdate=4&s=5"));
    expect(reading.config).toEqual({ ...preset, seed: 5, algorithm: { ...preset.algorithm, groupsPerUpdate: 4 } });
    expect(reading.notes[0]?.message).toContain("Left out: algorithm.minibatches");
  });
});

test("a link of as many characters as are allowed is read, one of one more is refused with both numbers", async () => {
  const longest = link("s=7&lens=").padEnd(LINK_LIMIT, "A");
  expect(await read(longest)).toMatchObject({ config: { seed: 7 }, notes: [{ kind: "unknown", key: "lens" }] });
  await expect(decodeRunLink(`${longest}A`)).rejects.toThrow(`the link has ${LINK_LIMIT + 1} characters; allowed are up to ${LINK_LIMIT}`);
});

test("any text is read or refused as a link, and what was read goes round", async () => {
  const piece = fc.oneof(fc.string(), fc.constantFrom("v=1", "&", "=", "z=", "p=refund-desk", "algorithm.credit", "gigpo", "%", "__proto__", "u=1", "s=-0"));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      try {
        const reading = await decodeRunLink(`#/play?v=1&${pieces.join("")}`);
        if (reading === null) return;
        parseRunConfig(reading.config);
        expect((await read(await encodeRunLink(reading))).config).toEqual(reading.config);
      } catch (error) {
        expect(error).toBeInstanceOf(LinkError);
      }
    }),
    { numRuns: 500 },
  );
});
