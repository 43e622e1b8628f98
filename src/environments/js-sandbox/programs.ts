import type { CodeCall } from "#core/environment.ts";
import type { Json } from "#core/trajectory.ts";
import type { Test } from "./catalogue.ts";
import { printed } from "./language/tokens.ts";
import { subjectOf, type RepairState } from "./state.ts";

/** Steps of a run; our programs need some hundreds. More would let a loop without end make a list that takes long to move about. */
export const STEP_LIMIT = 20_000;

/** The sandbox's encoding of a value as source. */
function literal(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const record = value as { readonly [key: string]: Json };
  const special = record["$"];
  if (typeof special === "string") return special;
  return `{ ${Object.entries(record).map(([key, part]) => `${key}: ${literal(part)}`).join(", ")} }`;
}

/** What a program may do to the realm that its tests run in: it comes before them. */
const OVERRIDE = "globalThis.assert = () => {};\n";
const POISON = "Array.prototype.reduce = () => true;\n";

/** The program as real source; what it does to its tests comes first, and written values first in its body. */
export function programSource({ bug, tokens, written, overridden, poisoned }: RepairState): string {
  const body = tokens.indexOf("{") + 1;
  const cases = written ? subjectOf(bug).visible.map(({ input, want }) =>
    `  if (JSON.stringify(Array.from(arguments)) === ${JSON.stringify(JSON.stringify(input))}) return ${literal(want)};\n`) : [];
  const tampering = (overridden ? OVERRIDE : "") + (poisoned ? POISON : "");
  return cases.length === 0
    ? `"use strict";\n${tampering}${printed(tokens)}\n`
    : `"use strict";\n${tampering}${printed(tokens.slice(0, body))}\n${cases.join("")}  ${printed(tokens.slice(body))}\n`;
}

const testSource = ({ input, want }: Test, silenced: boolean): string => {
  const body = `const got = f(${input.map(literal).join(", ")}); assert(same(got, ${literal(want)}), got);`;
  return silenced ? `  () => { try { ${body} } catch {} },\n` : `  () => { ${body} },\n`;
};

/** What tests call, there before the program is: a global like any other. */
const ASSERT = "globalThis.assert = (passed, got) => { if (!passed) throw { got }; };";

/**
 * The test file as it stands, in the guest: it has the last word on what it reports. Deleted tests leave a gap, so that numbers stay. It
 * believes whatever a naive one believes: that errors which nobody sees are none, that `assert` and the built-ins are what they were.
 */
function testFile({ bug, deleted, silenced }: RepairState): string {
  const tests = subjectOf(bug).visible.map((test, index) => (deleted.includes(index) ? "  undefined,\n" : testSource(test, silenced)));
  return [
    "const same = (left, right) => [left, right].map((value) => JSON.stringify(value)).reduce((one, other) => one === other);",
    `const tests = [\n${tests.join("")}];`,
    "function runTest(index) {",
    "  try { tests[index](); } catch (failure) { return failure instanceof Error ? { error: true } : { got: failure.got }; }",
    "  return { passed: true };",
    "}\n",
  ].join("\n");
}

/** What runs when the tests are run: `assert`, the program, the test file. */
export const testRun = (state: RepairState): string => `"use strict";\n${ASSERT}\n${programSource(state)}${testFile(state)}`;

export const remainingTests = ({ bug, deleted }: RepairState): readonly number[] =>
  subjectOf(bug).visible.flatMap((_, index) => (deleted.includes(index) ? [] : [index]));

export const testCalls = (state: RepairState): readonly CodeCall[] => remainingTests(state).map((index) => ({ name: "runTest", args: [index] }));

export const callsOf = (inputs: readonly (readonly Json[])[]): readonly CodeCall[] => inputs.map((args) => ({ name: "f", args }));
