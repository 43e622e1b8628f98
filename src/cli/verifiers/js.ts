import { readFile, stat } from "node:fs/promises";
import { parseArgs } from "node:util";
import * as v from "valibot";
import type { CodeRunner } from "#core/environment.ts";
import { threadedCodeRunner } from "../code-runner.ts";
import { UsageError } from "../usage-error.ts";
import type { Verifier } from "./registry.ts";
import { report, type CaseResult } from "./report.ts";

/** Bytes of a file. */
const MOST_BYTES = 64 * 1024 * 1024;
/** About a second of loops: published solutions need a hundredth of it. */
const STEP_LIMIT = 10_000_000;
/** Milliseconds after which a built-in that counts no steps is ended by force; far above what the steps take. */
const PATIENCE = 15_000;

/** Characters of one field: what the sandbox takes of declaration, solution and test together is a little more. */
const MOST_TEXT = 60_000;
const text = v.pipe(v.string(), v.maxLength(MOST_TEXT));
/** What is read of a line; further fields are ignored. */
const caseSchema = v.object({
  task_id: v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.minLength(1), v.maxLength(200)),
  declaration: text,
  canonical_solution: text,
  buggy_solution: text,
  test: v.pipe(text, v.minLength(1)),
  example_test: v.optional(text, ""),
});
type Case = v.InferOutput<typeof caseSchema>;

function readCase(line: string, at: string): Case {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    throw new UsageError(`${at} is not JSON`);
  }
  const result = v.safeParse(caseSchema, parsed);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  // A list has keys as well: none of them is a case's.
  if (path === null || Array.isArray(parsed)) throw new UsageError(`${at} is no object`);
  throw new UsageError(`${at}: ${path} is ${issue.received === "undefined" ? "missing" : issue.received}; allowed: ${issue.type === "max_length" ? `${MOST_TEXT} characters` : issue.type === "min_length" ? "some text" : "text"}`);
}

async function readCases(path: string): Promise<readonly Case[]> {
  const told = (error: unknown): never => {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const { size } = await stat(path).catch(told);
  if (size > MOST_BYTES) throw new UsageError(`${path} has ${size} bytes; allowed are ${MOST_BYTES}`);
  const lines = (await readFile(path, "utf8").catch(told)).split("\n");
  const cases = lines.flatMap((line, index) => (line.trim() === "" ? [] : [readCase(line, `line ${index + 1} of ${path}`)]));
  if (cases.length === 0) throw new UsageError(`${path} has no case`);
  return cases;
}

interface Tried {
  /** "passed", or why not. */
  readonly said: string;
  readonly passed: boolean;
  readonly milliseconds: number;
}

/** A program passes a test when nothing is thrown: `console.assert` throws in the sandbox, unlike in Node and in browsers. */
async function attempt(runner: CodeRunner, { declaration }: Case, solution: string, test: string): Promise<Tried> {
  const since = performance.now();
  const { ending, message } = await runner.run(`${declaration}${solution}\n${test}`, [], STEP_LIMIT);
  const passed = ending === "ok";
  return { said: passed ? "passed" : ending === "error" ? message : `${ending}: ${message}`, passed, milliseconds: Math.round((performance.now() - since) * 10) / 10 };
}

/** A case is in order when its canonical solution passes the test and its buggy one does not. */
async function check(runner: CodeRunner, given: Case): Promise<CaseResult> {
  const canonical = await attempt(runner, given, given.canonical_solution, given.test);
  const hidden = await attempt(runner, given, given.buggy_solution, given.test);
  const visible = given.example_test.trim() === "" ? null : await attempt(runner, given, given.buggy_solution, given.example_test);
  return {
    id: given.task_id,
    passed: canonical.passed && !hidden.passed,
    fields: {
      canonical: canonical.said, buggyHidden: hidden.said, buggyVisible: visible === null ? null : visible.said,
      milliseconds: { canonical: canonical.milliseconds, buggyHidden: hidden.milliseconds, buggyVisible: visible?.milliseconds ?? null },
    },
    text: `canonical ${canonical.said} (${canonical.milliseconds} ms); buggy, hidden: ${hidden.said} (${hidden.milliseconds} ms); buggy, visible: ${
      visible === null ? "no visible test" : `${visible.said} (${visible.milliseconds} ms)`}`,
  };
}

export const js: Verifier = {
  async run(argv) {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: { json: { type: "boolean", default: false } } });
    const [path] = positionals;
    if (path === undefined || positionals.length > 1) throw new UsageError(`verify js takes one file of JSON lines, got ${positionals.length}`);
    const cases = await readCases(path);
    const runner = threadedCodeRunner(PATIENCE);
    // So that the first case's timing is not that of starting the engine.
    await runner.run("", [], 1);
    const results: CaseResult[] = [];
    for (const given of cases) results.push(await check(runner, given));
    return report(results, values.json);
  },
};
