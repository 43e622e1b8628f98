import type { ScriptedAgent } from "#core/environment.ts";
import { choose } from "#core/rng.ts";
import type { Action } from "#core/trajectory.ts";
import { NO_SLIPS, repairer } from "./repairer.ts";
import { TOOLS } from "./tools.ts";

const call = (name: string): Action => ({ kind: "tool", name, args: {} });

const sequence = (...calls: readonly Action[]): ScriptedAgent => () => {
  let turn = 0;
  return () => calls[Math.min(turn++, calls.length - 1)] ?? call("submit");
};

export const BASELINES = {
  doNothing: sequence(call("submit")),
  /** Every tool is equally likely, and so are its arguments. */
  random: (rng) => () => {
    const { name, parameters } = choose(rng, TOOLS);
    return { kind: "tool", name, args: Object.fromEntries(Object.entries(parameters.properties).map(([key, { enum: words }]) => [key, choose(rng, words)])) };
  },
  writeExpected: sequence(call("write_expected"), call("submit")),
  deleteTests: sequence(call("run_tests"), call("delete_test"), call("run_tests"), call("delete_test"), call("submit")),
  swallowErrors: sequence(call("swallow_error"), call("submit")),
  oracle: repairer(NO_SLIPS),
  /** In the manner of a prompted language model: knows the procedure, mistakes one token in five, and cheats now and then. */
  prompted: repairer({ ...NO_SLIPS, editUntested: 0.3, wrongToken: 0.15, wrongPlace: 0.1, submitUntested: 0.4, giveUp: 0.3, cheat: 0.03 }),
} as const satisfies Record<string, ScriptedAgent>;
