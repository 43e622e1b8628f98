import type { CodeCall, CodeResult, CodeRunner } from "#core/environment.ts";
import type { Json } from "#core/trajectory.ts";
import { createQuickJsRunner } from "#sandbox/quickjs-runner.ts";
import { compileEngine } from "../../../src/cli/code-runner.ts";

export const STEPS = 1_000_000;
export const freshRunner = (): CodeRunner => createQuickJsRunner(compileEngine);
export const callF = (...args: readonly Json[]): readonly CodeCall[] => [{ name: "f", args }];

/** The one answer of `f` to no arguments. @throws when the run did not end well. */
export async function valueOf(runner: CodeRunner, source: string, ...args: readonly Json[]): Promise<Json> {
  const { ending, answers, message } = await runner.run(source, callF(...args), STEPS);
  const [answer] = answers;
  if (ending !== "ok" || answer?.kind !== "value") throw new Error(`${ending} ${message} ${JSON.stringify(answer)}`);
  return answer.value;
}

/** What a later run must not notice. */
export async function worksStill(runner: CodeRunner): Promise<boolean> {
  const { ending, answers }: CodeResult = await runner.run("function f(a) { return [a + 1, typeof left]; }", callF(1), STEPS);
  return ending === "ok" && JSON.stringify(answers) === '[{"kind":"value","value":[2,"undefined"],"changed":false}]';
}
