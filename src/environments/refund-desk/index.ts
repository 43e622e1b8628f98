import type { Environment } from "#core/environment.ts";
import { BASELINES } from "./baselines.ts";
import type { RefundDeskConfig } from "./config.ts";
import { demonstrate } from "./demonstrator.ts";
import { anchorKey, firstObservation, initialState, inspect, type DeskState, type DeskTask } from "./state.ts";
import { tasks } from "./tasks.ts";
import { outcomes, TOOLS } from "./tools.ts";
import { verdict } from "./verdict.ts";
import { WORDS } from "./words.ts";
import { worlds } from "./worlds.ts";

export type RefundDesk = Environment<RefundDeskConfig, DeskTask, DeskState>;

/** A desk that refunds a customer's order within the policy's window: which order, and how old, has to be found out. */
export const createRefundDesk = (): RefundDesk => ({
  id: "refund-desk",
  tools: TOOLS,
  words: WORDS,
  tasks,
  reset: (task) => ({ state: initialState(task), observation: firstObservation(task) }),
  outcomes,
  worlds: (config, _task, first, seen, rng, limit) => worlds(config, first, seen, rng, limit),
  anchorKey,
  demonstrator: (_task, rng, skill) => demonstrate(rng, skill),
  baselines: BASELINES,
  verdict,
  inspect,
});
