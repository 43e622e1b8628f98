import type { Task } from "#core/environment.ts";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { largestBoardOf } from "#environments/registry.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { Arena } from "./arena.ts";

/** Training tasks that are looked at. */
const LOOKED_AT = 32;

/**
 * Episodes whose first observation leaves no room for an action would all be cut off before their first turn. Boards are known by their
 * settings (`parseRunConfig`); of other environments some tasks are tried.
 * @throws ConfigError with the context that would do.
 */
export function refuseShortContext<T extends Task, S>({ environment: settings, policy }: RunConfig, { environment, harness, budget, tasks }: Pick<Arena<T, S>, "environment" | "harness" | "budget" | "tasks">): void {
  if (largestBoardOf(settings) !== undefined) return;
  const lengths = tasks("train", LOOKED_AT, createRng(0).fork("room-to-see")).map((task) =>
    harness.context(environment.reset(task).observation, [], { variant: 0 }).tokens.length + harness.longestAction);
  const needed = Math.max(...lengths);
  if (needed <= budget.tokens) return;
  const cut = lengths.filter((length) => length > budget.tokens).length;
  throw new ConfigError(`policy.context is ${policy.context}: of ${LOOKED_AT} tasks ${cut} would be cut off before their first turn; allowed: at least ${needed}`, { path: "policy.context", needed });
}
