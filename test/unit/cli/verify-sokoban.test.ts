import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { turnwise } from "../../fixtures/turnwise.ts";

const folder = mkdtempSync(join(tmpdir(), "verify-sokoban-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = (name: string): string => resolve("test/fixtures/sokoban", name);
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
/** Exit code, the JSON lines of the cases, and the summary. */
async function verify(...argv: readonly string[]) {
  const { status, stdout, stderr } = await turnwise("verify", "sokoban", ...argv, "--json");
  const lines = stdout.trim().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  return { status, cases: lines.slice(0, -1), summary: lines.at(-1), stderr };
}

const level = ["#######", "#@ $ .#", "#######"];
const row = (change: object): string => JSON.stringify({ id: "a", level, solution_lurd: "rRR", ...change });

describe("verify sokoban", async () => {
  test("published solutions: a line a case, then the summary", async () => {
    const { status, cases, summary } = await verify(fixture("gri.jsonl"), "--states", "2000");
    expect([status, summary]).toEqual([0, { checked: 6, passed: 6, failed: 0 }]);
    expect(cases[0]).toMatchObject({ passed: true, moves: expect.any(Number), pushes: expect.any(Number), search: expect.stringMatching(/solved|budget/) });
  });

  test("a .sok takes its solution from the .sol beside it, whichever of the two is named", async () => {
    for (const name of ["grigrspecial0020.sok", "grigrspecial0020.sol"]) {
      const { status, cases } = await verify(fixture(name), "--states", "2000");
      expect([status, cases]).toEqual([0, [{ id: "Brave Heart", passed: true, moves: 373, pushes: 89, optimalPushes: null, search: "budget", states: expect.any(Number) }]]);
    }
  });

  test("Boxoban levels come without solutions: legal, and solved in the fewest pushes", async () => {
    const { status, cases, summary } = await verify(fixture("boxoban.txt"));
    expect([status, summary]).toEqual([0, { checked: 8, passed: 8, failed: 0 }]);
    expect(cases.every(({ optimalPushes, pushes }) => typeof optimalPushes === "number" && pushes === null)).toBe(true);
  });

  test("what falls short is named with the move or the line, and the exit code is 1", async () => {
    const path = file("short.jsonl", [
      row({}), row({ id: "blocked", solution_lurd: "rRRR" }), row({ id: "lie", solution_lurd: "RRR" }), row({ id: "early", solution_rle: "2r", solution_lurd: undefined }),
      row({ id: "small", solution_lurd: "3r" }), row({ id: "count", pushes: 3 }), row({ id: "open", level: ["#####", "#@$. ", "#####"] }), row({ id: "letter", solution_lurd: "rxR" }), "",
    ].join("\n"));
    const { status, cases, summary } = await verify(path);
    expect([status, summary]).toEqual([1, { checked: 8, passed: 2, failed: 6 }]);
    expect(cases.map(({ id, passed, move }) => [id, passed, move])).toEqual([
      ["a", true, undefined], ["blocked", false, 4], ["lie", false, 1], ["early", false, 3], ["small", true, undefined], ["count", false, undefined], ["open", false, undefined], ["letter", false, null],
    ]);
    expect(cases[6]!["reason"]).toMatch(/line 2: the player can walk out/);
  });

  test.each([
    ["no JSON", "{oops", /line 1.* is not JSON/],
    ["no level", '{"id":1,"solution_lurd":"r"}', /line 1.*level/],
    ["no solution", '{"id":1,"level":["###"]}', /line 1.*neither "solution_lurd" nor "solution_rle"/],
    ["a key that reaches a prototype", `${row({}).slice(0, -1)},"__proto__":{}}`, /__proto__/],
    ["nothing at all", "", /there is no level/],
  ])("bad input is one line on stderr and exit code 2: %s", async (_, text, message) => {
    const { status, cases, summary, stderr } = await verify(file("bad.jsonl", text));
    expect([status, cases, summary]).toEqual([2, [], undefined]);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("no file, a file that is not there, and a solution without its level are bad input", async () => {
    for (const argv of [[], [join(folder, "nothing.sok")], [file("alone.sol", "rrr")]]) expect((await verify(...argv)).status).toBe(2);
  });
});

const DATA = resolve(process.env["TURNWISE_DATA"] ?? "../shared/data", "sokoban");
const absent = !existsSync(DATA);
if (absent && process.env["CI"] === "true") throw new Error(`${DATA} is absent; set TURNWISE_DATA to the folder of published cases`);
if (absent) console.warn(`SKIPPED: ${DATA} is absent; set TURNWISE_DATA to the folder of published cases`);

test.skipIf(absent)("all of the published cases verify", async () => {
  const { status, summary } = await verify(
    join(DATA, "gri_public_domain_subset.jsonl"), join(DATA, "boxoban_unfiltered_first100.txt"),
    ...["gri0001", "grigrspecial0020", "mgerhardy0001"].map((name) => join(DATA, `${name}.sok`)), "--states", "3000",
  );
  const cases = readFileSync(join(DATA, "gri_public_domain_subset.jsonl"), "utf8").trim().split("\n").length + 100 + 3;
  expect([status, summary]).toEqual([0, { checked: cases, passed: cases, failed: 0 }]);
});
