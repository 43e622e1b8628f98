import { describe, expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { isLocked, LOCK_IDS, NO_EXTRAS, type LinkExtras } from "#share/link-extras.ts";
import { decodeRunLink, encodeRunLink, LINK_LIMIT } from "#share/run-link.ts";
import { frameSnippet } from "#share/snippet.ts";

const config = PRESETS.sokoban;
const encode = (extras: LinkExtras, unknown: readonly (readonly [string, string])[] = []) => encodeRunLink({ config, view: null, unknown }, extras);

describe("what a link carries beside its settings", () => {
  test("comes back as it was", async () => {
    const extras: LinkExtras = { evidence: "AbC-_9", frame: { panel: "why", theme: "dark" }, locks: ["credit", "seed"] };
    const link = await encode(extras);
    expect(link).toBe("#/play?v=1&p=sokoban&s=1&lock=credit.seed&embed=1&panel=why&theme=dark&e=AbC-_9");
    expect(await decodeRunLink(link)).toMatchObject({ extras, notes: [], unknown: [], config });
    expect((await decodeRunLink(await encode(NO_EXTRAS)))?.extras).toEqual(NO_EXTRAS);
  });

  test("of another kind is told, and the rest is taken", async () => {
    const reading = await decodeRunLink("#/play?v=1&p=sokoban&s=1&lock=seed.<b>.seed&embed=yes&panel=%3Cscript%3E&theme=pink");
    expect(reading?.extras).toEqual({ evidence: null, frame: null, locks: ["seed"] });
    expect(reading?.notes.map(({ key, kind }) => `${key} ${kind}`)).toEqual(["embed refused", "lock unknown"]);
    const framed = await decodeRunLink("#/play?v=1&p=sokoban&s=1&embed=1&panel=%3Cscript%3E&theme=pink");
    expect(framed?.extras.frame).toEqual({ panel: "credit", theme: "system" });
    expect(framed?.notes.map(({ key }) => key)).toEqual(["panel", "theme"]);
  });

  test("never makes a link longer than a link may be: what is unknown goes first, then the evidence", async () => {
    const long = "A".repeat(LINK_LIMIT - 200);
    const both = await encode({ ...NO_EXTRAS, evidence: long }, [["lens", "x".repeat(400)]]);
    expect(both.endsWith(`&e=${long}`)).toBe(true);
    expect(both).not.toContain("lens");
    const neither = await encode({ ...NO_EXTRAS, evidence: `${long}${"A".repeat(300)}` });
    expect(neither).toBe("#/play?v=1&p=sokoban&s=1");
    expect(both.length).toBeLessThanOrEqual(LINK_LIMIT);
  });
});

test("a lock holds its settings and all below them, and no others", () => {
  expect(isLocked(["credit"], "algorithm.credit")).toBe(true);
  expect(isLocked(["credit"], "algorithm.credit.std")).toBe(true);
  expect(isLocked(["credit"], "algorithm.creditor")).toBe(false);
  expect(isLocked(["credit"], "algorithm")).toBe(false);
  expect(isLocked(["environment"], "preset")).toBe(true);
  expect(isLocked([], "seed")).toBe(false);
  // Every setting that a run has can be held by one of them.
  const leaves = (value: object, path: string): string[] => Object.entries(value).flatMap(([key, child]) => {
    const place = path === "" ? key : `${path}.${key}`;
    return typeof child === "object" && child !== null ? leaves(child, place) : [place];
  });
  expect(leaves(PRESETS["refund-desk"], "").filter((path) => path !== "version" && !isLocked(LOCK_IDS, path))).toEqual([]);
});

test("no address ends its attribute in a frame's HTML", () => {
  const html = frameSnippet("https://example.org/#/play?v=1&x=\"><script>alert('1')</script>", "credit", 480.4);
  expect(html).toBe('<iframe src="https://example.org/#/play?v=1&amp;x=&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;" title="Turnwise: Credit board" width="100%" height="480" style="border:0" loading="lazy" allow="clipboard-write"></iframe>');
});
