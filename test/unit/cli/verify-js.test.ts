import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { turnwise } from "../../fixtures/turnwise.ts";

const folder = mkdtempSync(join(tmpdir(), "verify-js-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Exit code, the JSON lines of the cases, and the summary. */
async function verify(...argv: readonly string[]) {
  const { status, stdout, stderr } = await turnwise("verify", "js", ...argv);
  const lines = stdout.trim().split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Record<string, unknown>);
  return { status, cases: lines.slice(0, -1), summary: lines.at(-1), stdout, stderr };
}
function written(...rows: readonly (object | string)[]): string {
  const path = join(folder, `${rows.length}-${Math.random()}.jsonl`);
  writeFileSync(path, rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n"));
  return path;
}

const example = {
  task_id: "add", declaration: "const add = (a, b) => {\n", canonical_solution: "  return a + b;\n}\n", buggy_solution: "  return a - b;\n}\n",
  test: "console.assert(add(1, 2) === 3);\nconsole.assert(add(1, 0) === 1);\n", example_test: "console.assert(add(1, 0) === 1);\n", bug_type: "operator misuse",
};

describe("verify js", async () => {
  test("one line a case with its timings, then the summary; other fields are left alone", async () => {
    const { status, cases, summary } = await verify(written(example, { ...example, task_id: 7, example_test: undefined, more: { deep: [1] } }, ""), "--json");
    expect([status, summary]).toEqual([0, { checked: 2, passed: 2, failed: 0 }]);
    const milliseconds = { canonical: expect.any(Number), buggyHidden: expect.any(Number), buggyVisible: expect.any(Number) };
    expect(cases).toEqual([
      { id: "add", passed: true, canonical: "passed", buggyHidden: "Error: an assertion failed", buggyVisible: "passed", milliseconds },
      { id: "7", passed: true, canonical: "passed", buggyHidden: "Error: an assertion failed", buggyVisible: null, milliseconds: { ...milliseconds, buggyVisible: null } },
    ]);
  });

  test("what falls short: a wrong reference, a bug that is not found out, a loop without end, a long built-in, an assertion made quiet", async () => {
    const bug = (task_id: string, buggy_solution: string) => ({ ...example, task_id, buggy_solution });
    const { status, cases, summary } = await verify(written(
      { ...example, task_id: "reference", canonical_solution: example.buggy_solution }, bug("same", example.canonical_solution),
      bug("loop", "  for (;;);\n}\n"), bug("promise", "  new Promise(() => { for (;;); });\n  return a + b;\n}\n"),
      bug("quiet", "  return a - b;\n}\ntry { console.assert = () => {}; } catch { }\nObject.defineProperty(globalThis, 'console', { value: { assert() {} } });\n"),
      bug("throws", "  throw { toString() { for (;;); } };\n}\n"), { ...example, task_id: "module", canonical_solution: "  return require('add')(a, b);\n}\n" },
    ), "--json");
    expect([status, summary]).toEqual([1, { checked: 7, passed: 4, failed: 3 }]);
    expect(cases.map(({ id, passed, canonical, buggyHidden }) => [id, passed, canonical, buggyHidden])).toEqual([
      ["reference", false, "Error: an assertion failed", "Error: an assertion failed"],
      ["same", false, "passed", "passed"],
      ["loop", true, "passed", "interrupted: the step limit was reached"],
      ["promise", true, "passed", "interrupted: the step limit was reached"],
      ["quiet", true, "passed", "Error: an assertion failed"],
      ["throws", true, "passed", "something that is no error"],
      ["module", false, "ReferenceError: 'require' is not defined", "Error: an assertion failed"],
    ]);
  }, 60_000);

  test.each([
    ["no JSON", [example, "{oops"], /line 2 of .* is not JSON/],
    ["no test", [{ ...example, test: undefined }], /line 1 of .*: test is missing; allowed: text/],
    ["a number for a program", [{ ...example, buggy_solution: 7 }], /line 1 of .*: buggy_solution is 7; allowed: text/],
    ["a list", ["[1]"], /line 1 of .* is no object/],
    ["a program that is too long", [{ ...example, test: "x".repeat(60_001) }], /test is 60001; allowed: 60000 characters/],
    ["nothing", [""], /has no case/],
  ])("exit code 2 for %s", async (_name, rows, message) => {
    const { status, stderr } = await verify(written(...rows));
    expect([status, stderr.split("\n").length]).toEqual([2, 2]);
    expect(stderr).toMatch(message);
  });

  test("exit code 2 for a file that is not there, two files, an unknown option", async () => {
    expect(await verify("/nowhere.jsonl")).toMatchObject({ status: 2, stderr: expect.stringContaining("cannot read /nowhere.jsonl") });
    expect(await verify()).toMatchObject({ status: 2, stderr: expect.stringContaining("takes one file") });
    expect(await verify("a", "b")).toMatchObject({ status: 2, stderr: expect.stringContaining("takes one file") });
    expect((await verify("a", "--fast")).status).toBe(2);
  });
});

const DATA = resolve(process.env["TURNWISE_DATA"] ?? "../shared/data", "js/humanevalpack_js_subset.jsonl");
const absent = !existsSync(DATA);
if (absent && process.env["CI"] === "true") throw new Error(`${DATA} is absent; set TURNWISE_DATA to the folder of published cases`);
if (absent) console.warn(`SKIPPED: ${DATA} is absent; set TURNWISE_DATA to the folder of published cases`);

test.skipIf(absent)("every published case is as its fields say", async () => {
  const rows = readFileSync(DATA, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Record<string, string>);
  const { status, cases, summary } = await verify(DATA, "--json");
  expect([status, summary]).toEqual([0, { checked: rows.length, passed: rows.length, failed: 0 }]);
  for (const [index, { id, buggyHidden, buggyVisible, canonical }] of cases.entries()) {
    const row = rows[index]!;
    expect([id, canonical]).toEqual([row["task_id"], "passed"]);
    // Two of the three loops without end give a wrong answer before they meet one.
    expect(buggyHidden).toMatch(id === "JavaScript/156" ? /^interrupted: the step limit/ : /^\w*Error: /);
    expect(buggyVisible === null).toBe(row["example_test"]!.trim() === "");
  }
  expect(cases.filter(({ buggyVisible }) => buggyVisible === "passed").map(({ id }) => id)).toEqual(["JavaScript/64", "JavaScript/92", "JavaScript/108", "JavaScript/112", "JavaScript/136"]);
}, 120_000);
