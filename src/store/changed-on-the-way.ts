import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { afterUpdates, changedAfter, startedUnder } from "#run/settings-changes.ts";
import { changes } from "./config-path.ts";

/**
 * When settings of a run were changed on its way, as words: no one set of settings makes it, so no link can tell it. Null where they never were.
 * @param config under which it goes on
 */
export function changedOnTheWay(events: readonly RunEvent[], config: RunConfig | null): string | null {
  const updates = changedAfter(events);
  if (updates.length > 0) return afterUpdates(updates);
  const started = startedUnder(events);
  // Asked for and not yet under way; or from before changes were told.
  return started !== null && config !== null && changes(started, config).length > 0 ? "on its way" : null;
}
