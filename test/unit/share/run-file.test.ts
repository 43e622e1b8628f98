import { gunzipSync, gzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { FileError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import type { RunConfig } from "#run/run-config.ts";
import { endOfUpdate, type RunEvent } from "#run/run-event.ts";
import { settingsOf } from "#run/settings-changes.ts";
import { MAX_RUN_FILE, readRunFile } from "#share/run-file-reader.ts";
import { writeRunFile } from "#share/run-file.ts";
import { smallEvents, smallSnapshot } from "../../fixtures/small-files.ts";

const read = (bytes: Uint8Array<ArrayBuffer>) => readRunFile(bytes, { breathe: () => Promise.resolve() });
const extras = { title: "Mine <script>alert(1)</script>", note: "two\nlines", snapshot: smallSnapshot };
const whole = writeRunFile(smallEvents, extras);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(gunzipSync(bytes));
const packed = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(new TextEncoder().encode(text), { mtime: 0 }));
const lines = textOf(whole).trimEnd().split("\n");
const withLine = (index: number, line: string): Uint8Array<ArrayBuffer> => packed(`${lines.with(index, line).join("\n")}\n`);

test("what is written is read back, bit by bit", async () => {
  const file = await read(whole);
  expect(file).toEqual({ ...extras, events: smallEvents });
  // Also what compares equal and is not: −0.
  expect([...(file.snapshot?.policy.second.slice(0, 2) ?? [])].map((value) => Object.is(value, -0))).toEqual([true, true]);
  expect(writeRunFile(smallEvents, extras)).toEqual(whole);
});

test("a file without weights is one of version 1, as the command line has always written it", async () => {
  const bare = writeRunFile(smallEvents);
  expect(textOf(bare).split("\n")[0]).toBe(`{"format":"turnwise-run","version":1,"events":${smallEvents.length}}`);
  expect(await read(bare)).toEqual({ title: "", note: "", snapshot: null, events: smallEvents });
});

const changedConfig: RunConfig = { ...smallSnapshot.config, algorithm: { ...smallSnapshot.config.algorithm, groupSize: 4 } };
const change = (update: number, config: RunConfig): RunEvent => ({ type: "settings-changed", update, config });
const withChange = (event: RunEvent): Uint8Array<ArrayBuffer> => {
  const at = endOfUpdate(smallEvents, 1);
  return writeRunFile([...smallEvents.slice(0, at), event, ...smallEvents.slice(at)], { ...extras, snapshot: { ...smallSnapshot, config: changedConfig } });
};

test("settings that changed on the way are told where they did, and the run goes on under the last ones", async () => {
  const { events, snapshot } = await read(withChange(change(1, changedConfig)));
  expect(events.filter(({ type }) => type === "settings-changed")).toEqual([change(1, changedConfig)]);
  expect(settingsOf(events, snapshot)).toEqual(changedConfig);
  // A page that wrote no changes had the last ones in the snapshot alone.
  expect(settingsOf(smallEvents, { config: changedConfig })).toEqual(changedConfig);
});

describe("says what is wrong with", () => {
  const update = lines.findIndex((line) => line.includes('"type":"update"'));
  const group = lines.findIndex((line) => line.includes('"type":"group"'));
  const evaluation = lines.findIndex((line) => line.includes('"type":"evaluation"'));
  const edit = (index: number, from: string | RegExp, to: string): Uint8Array<ArrayBuffer> => {
    const line = lines[index] ?? "";
    const edited = line.replace(from, to);
    if (edited === line) throw new Error("nothing was edited");
    return withLine(index, edited);
  };
  test.each<readonly [string, Uint8Array<ArrayBuffer>, RegExp]>([
    ["another kind of file", new TextEncoder().encode('{"format":"turnwise-run"}'), /packed with gzip/],
    ["an empty file", new Uint8Array(), /packed with gzip/],
    ["a file that is cut off", whole.slice(0, whole.length >> 1), /damaged or cut off|ends after/],
    ["a file with more behind it", new Uint8Array([...whole, 1, 2, 3]), /damaged/],
    ["another format", edit(0, "turnwise-run", "turnwise-ruin"), /line 1 .*format.*"turnwise-run"/],
    ["a newer version", edit(0, '"version":2', '"version":3'), /line 1 .*version/],
    ["too few events", packed(`${lines.slice(0, 4).join("\n")}\n`), /ends after 3 of \d+ events/],
    ["a lost end of line", packed(lines.join("\n")), /middle of a line/],
    ["a line more", packed(`${[...lines, "{}"].join("\n")}\n`), /one more than the header tells of/],
    ["a wrong type", edit(update, /"kl":[\d.e-]+/, '"kl":"0.1"'), /metrics\.kl: Expected/],
    ["a number beyond all", edit(update, /"kl":[\d.e-]+/, '"kl":1e999'), /not exact/],
    ["a prototype key", edit(group, '"informative"', '"__proto__":{"x":1},"informative"'), /"__proto__", which is not allowed/],
    ["a field nobody knows", edit(group, '"informative"', '"extra":1,"informative"'), /extra/],
    ["deep nesting", edit(group, /"stateBefore":\{/, `"stateBefore":{"deep":${"[".repeat(40)}${"]".repeat(40)},`), /nested deeper than 32/],
    ["a turn outside its tokens", edit(group, /"end":\d+/, '"end":9999'), /outside its tokens/],
    ["an update out of order", edit(update, '"update":1', '"update":2'), /update 2 comes after update 0/],
    ["settings that change out of order", withChange(change(2, changedConfig)), /change after update 2, and the run stands at 1/],
    ["settings that change to another policy", withChange(change(1, { ...changedConfig, policy: { ...changedConfig.policy, layers: 1 } })), /goes on with another policy/],
    ["settings that end a run before it stands", withChange(change(1, { ...changedConfig, updates: 0 })), /updates/],
    ["more successes than trials", edit(evaluation, /"successes":\[\d+/, '"successes":[9'), /more successes/],
    ["settings out of range", edit(1, /"groupSize":\d+/, '"groupSize":1000000'), /groupSize/],
    ["weights that are not numbers", edit(lines.length - 1, /"weights":"[^"]{8}/, '"weights":"AACAfwAA'), /not finite|cut off|sizes/],
    ["weights that are not base64", edit(lines.length - 1, /"weights":"./, '"weights":"$'), /not base64/],
    ["weights of another size", edit(lines.length - 1, /"first":"[^"]{16}/, '"first":"'), /other sizes/],
    ["a bomb", new Uint8Array(gzipSync(new Uint8Array(400_000_000), { level: 9 })), /longer than|unpacks to more/],
    ["a file too large", new Uint8Array(MAX_RUN_FILE + 1).fill(0x1f), /at most/],
  ])("%s", async (_name, bytes, message) => {
    const outcome = await read(bytes).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(FileError);
    expect(String(outcome)).toMatch(message);
    expect(String(outcome).length).toBeLessThan(600);
  });
});

const HOSTILE = ["1e999", "-1", "9007199254740993", "null", "true", '"<img src=x onerror=alert(1)>"', '{"__proto__":{"polluted":true}}', '{"constructor":1}', "[[[[]]]]", "{}", '"\\u202e\\u0000"', "0.5", '""'];

test("a thousand mutations: a FileError each, or a run that is whole; nothing is polluted", async () => {
  const rng = createRng(20_261).fork("files");
  const draw = (below: number): number => Math.floor(rng.next() * below);
  const outcomes = { refused: 0, read: 0 };
  const judge = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    const outcome: unknown = await read(bytes).catch((error: unknown) => error);
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(FileError);
      outcomes.refused += 1;
    } else outcomes.read += 1;
  };
  for (let round = 0; round < 250; round += 1) {
    await judge(whole.slice(0, draw(whole.length)));
    const flipped = whole.slice();
    const at = draw(flipped.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << draw(8));
    await judge(flipped);
    // One value of one line becomes another thing.
    const index = draw(lines.length);
    const values = [...(lines[index] ?? "").matchAll(/(?<=[:,[])(?:"[^"]*"|-?\d[\d.e-]*|true|false|null)/g)];
    const chosen = values[draw(values.length)];
    if (chosen !== undefined) {
      const line = lines[index] ?? "";
      await judge(withLine(index, line.slice(0, chosen.index) + (HOSTILE[draw(HOSTILE.length)] ?? "") + line.slice(chosen.index + chosen[0].length)));
    }
    // Lines swapped, doubled, lost.
    const other = draw(lines.length);
    const swapped = lines.with(index, lines[other] ?? "").with(other, lines[index] ?? "");
    await judge(packed(`${(round % 2 === 0 ? swapped : lines.toSpliced(index, 1, ...(round % 4 === 1 ? [lines[index] ?? "", lines[index] ?? ""] : []))).join("\n")}\n`));
  }
  expect(outcomes.refused + outcomes.read).toBeGreaterThan(990);
  expect(outcomes.refused).toBeGreaterThan(850);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
}, 120_000);
