import type { ScriptedAgent } from "#core/environment.ts";
import { choose } from "#core/rng.ts";
import type { Action } from "#core/trajectory.ts";
import { clerk, NO_SLIPS } from "./clerk.ts";
import { TOOLS } from "./tools.ts";

const call = (name: string): Action => ({ kind: "tool", name, args: {} });

/** Every call the schemas allow. */
const LEGAL: readonly Action[] = TOOLS.flatMap(({ name, parameters }) =>
  Object.entries(parameters.properties).reduce<readonly Action[]>(
    (calls, [parameter, { enum: words }]) => calls.flatMap((partial) => words.map((word) => (
      partial.kind === "tool" ? { ...partial, args: { ...partial.args, [parameter]: word } } : partial
    ))),
    [call(name)],
  ));

const sequence = (...calls: readonly Action[]): ScriptedAgent => () => {
  let turn = 0;
  return () => calls[Math.min(turn++, calls.length - 1)] ?? call("finish");
};

export const BASELINES = {
  doNothing: sequence(call("finish")),
  /** Every legal call is equally likely, arguments included. */
  random: (rng) => () => choose(rng, LEGAL),
  alwaysDeny: sequence(call("deny"), call("finish")),
  neverAsk: clerk({ ...NO_SLIPS, guess: 1 }),
  /** Of a customer's orders it takes any for the most recent one. */
  neverCheck: clerk({ ...NO_SLIPS, settleEarly: 1, refundUnchecked: 1 }),
  oracle: clerk(NO_SLIPS),
  /** In the manner of a prompted language model: knows the procedure, skips steps that seem obvious, asks when it need not. */
  prompted: clerk({ ...NO_SLIPS, askNeedlessly: 0.12, guess: 0.6, settleEarly: 0.3, checkWrong: 0.08, refundUnchecked: 0.35, repeat: 0.03 }),
} as const satisfies Record<string, ScriptedAgent>;
