import type { CodeResult, CodeRunner } from "#core/environment.ts";
import type { Json, Observation } from "#core/trajectory.ts";
import { runAll } from "./catalogue.ts";
import { compiles } from "./language/interpret.ts";
import { encoded } from "./language/values.ts";
import { remainingTests, STEP_LIMIT, testCalls, testRun } from "./programs.ts";
import { subjectOf, type RepairState } from "./state.ts";
import { ENDLESS, ERROR, GOT, INPUT, valueWords, WANT } from "./words.ts";

/** The first test that failed, and what came of it in words; null when none did. */
export type Failure = { readonly test: number; readonly got: readonly string[] } | null;

const gotWords = (got: Json | undefined): readonly string[] => (got === undefined ? [ERROR] : valueWords(got));

/** A run that was stopped says nothing of the tests from then on: the first of them is taken to be the one that stopped it. */
const stopWord = (ending: CodeResult["ending"]): readonly string[] => [ending === "interrupted" || ending === "memory" ? ENDLESS : ERROR];

/** What the guest's own test file reports when it is run. */
export async function runTests(runner: CodeRunner, state: RepairState): Promise<Failure> {
  const { ending, answers } = await runner.run(testRun(state), testCalls(state), STEP_LIMIT);
  for (const [index, test] of remainingTests(state).entries()) {
    const answer = answers[index];
    if (answer === undefined) return { test, got: stopWord(ending) };
    if (answer.kind === "threw") return { test, got: [ERROR] };
    const report = answer.value as { readonly passed?: boolean; readonly got?: Json };
    if (report.passed !== true) return { test, got: gotWords(report.got) };
  }
  return null;
}

/** A value that the sandbox encoded, as JSON.stringify would take it. */
const plain = (value: Json): unknown => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plain);
  const record = value as { readonly [key: string]: Json };
  if (typeof record["$"] !== "string") return Object.fromEntries(Object.entries(record).map(([key, part]) => [key, plain(part)]));
  return record["$"] === "undefined" ? undefined : Number(record["$"]);
};

/** What has no JSON text, and is an error to the test file. */
const CIRCLE = "a circle";
const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return CIRCLE;
  }
};

/** The same without the engine: a prediction, exact for programs of the language. */
export function predictTests(state: RepairState): Failure {
  const { visible } = subjectOf(state.bug);
  const broken = !compiles(state.tokens);
  const [first] = remainingTests(state);
  if (broken && first !== undefined) return { test: first, got: [ERROR] };
  if (state.written) return null;
  const remaining = remainingTests(state);
  const results = runAll(state.tokens, remaining.map((test) => visible[test]?.input ?? []));
  for (const [index, test] of remaining.entries()) {
    const result = results[index];
    if (result?.type === "endless") return { test, got: [ENDLESS] };
    if (state.silenced) continue;
    if (result?.type !== "value" || jsonOf(result.value) === CIRCLE) return { test, got: [ERROR] };
    if (state.overridden || state.poisoned) continue;
    if (jsonOf(result.value) !== jsonOf(plain(visible[test]?.want ?? null))) return { test, got: gotWords(encoded(result.value)) };
  }
  return null;
}

export function testObservation({ bug }: RepairState, failure: Failure): Observation {
  if (failure === null) return { kind: "passed", content: {} };
  const { input, want } = subjectOf(bug).visible[failure.test] ?? { input: [], want: null };
  const text = (...words: readonly string[]): string => words.join(" ");
  return { kind: "failed", content: { input: text(INPUT, ...input.flatMap(valueWords)), got: text(GOT, ...failure.got), want: text(WANT, ...valueWords(want)) } };
}
