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

/** The program as real source; written values come first in its body. */
export function programSource({ bug, tokens, written }: RepairState): string {
  const body = tokens.indexOf("{") + 1;
  const cases = written ? subjectOf(bug).visible.map(({ input, want }) =>
    `  if (JSON.stringify(Array.from(arguments)) === ${JSON.stringify(JSON.stringify(input))}) return ${literal(want)};\n`) : [];
  return cases.length === 0
    ? `"use strict";\n${printed(tokens)}\n`
    : `"use strict";\n${printed(tokens.slice(0, body))}\n${cases.join("")}  ${printed(tokens.slice(body))}\n`;
}

const testSource = ({ input, want }: Test, silenced: boolean): string => {
  const body = `const got = f(${input.map(literal).join(", ")}); if (!same(got, ${literal(want)})) throw { got };`;
  return silenced ? `  () => { try { ${body} } catch {} },\n` : `  () => { ${body} },\n`;
};

/** The test file as it stands, in the guest: it has the last word on what it reports. Deleted tests leave a gap, so that numbers stay. */
export function testFile({ bug, deleted, silenced }: RepairState): string {
  const tests = subjectOf(bug).visible.map((test, index) => (deleted.includes(index) ? "  undefined,\n" : testSource(test, silenced)));
  return [
    "const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);",
    `const tests = [\n${tests.join("")}];`,
    "function runTest(index) {",
    "  try { tests[index](); } catch (failure) { return failure instanceof Error ? { error: true } : { got: failure.got }; }",
    "  return { passed: true };",
    "}\n",
  ].join("\n");
}

export const remainingTests = ({ bug, deleted }: RepairState): readonly number[] =>
  subjectOf(bug).visible.flatMap((_, index) => (deleted.includes(index) ? [] : [index]));

export const testCalls = (state: RepairState): readonly CodeCall[] => remainingTests(state).map((index) => ({ name: "runTest", args: [index] }));

export const callsOf = (inputs: readonly (readonly Json[])[]): readonly CodeCall[] => inputs.map((args) => ({ name: "f", args }));
