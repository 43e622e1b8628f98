import { configText, type RunConfig } from "./run-config.ts";
import type { RunEvent } from "./run-event.ts";

/** Settings of a run that were changed on its way: the events tell when, and whoever needs to know what was in force asks here. */
export type SettingsChange = Extract<RunEvent, { type: "settings-changed" }>;

/** What is told where a run goes on from an update under these settings; null where that update was made under the same. */
export const changeFrom = (before: { readonly update: number; readonly config: RunConfig }, config: RunConfig): SettingsChange | null =>
  configText(before.config) === configText(config) ? null : { type: "settings-changed", update: before.update, config };

const settingsChanges = (events: readonly RunEvent[]): readonly SettingsChange[] => events.filter((event) => event.type === "settings-changed");

/** The updates after which settings were changed, ascending. */
export const changedAfter = (events: readonly RunEvent[]): readonly number[] => [...new Set(settingsChanges(events).map(({ update }) => update))];

export const startedUnder = (events: readonly RunEvent[]): RunConfig | null => events.find((event) => event.type === "run-started")?.config ?? null;

/** From these settings to those, after an update. */
export interface SettingsStep {
  readonly update: number;
  readonly before: RunConfig;
  readonly after: RunConfig;
}

export function settingsSteps(events: readonly RunEvent[]): readonly SettingsStep[] {
  const first = startedUnder(events);
  if (first === null) return [];
  // Of two after one update nothing was computed under the first.
  const changes = settingsChanges(events).filter(({ update }, at, all) => all[at + 1]?.update !== update);
  return changes.map(({ update, config }, at) => ({ update, before: changes[at - 1]?.config ?? first, after: config }));
}

/** What an update was computed under. @param last where the events tell of no change: those of the run */
export function settingsAt(last: RunConfig, events: readonly RunEvent[], update: number): RunConfig {
  const changes = settingsChanges(events);
  return changes.length === 0 ? last : (changes.findLast((change) => change.update < update)?.config ?? startedUnder(events) ?? last);
}

/** What a run goes on under. Files from before changes were told have it in their snapshot only. Null without a beginning. */
export const settingsOf = (events: readonly RunEvent[], snapshot: { readonly config: RunConfig } | null): RunConfig | null =>
  settingsChanges(events).at(-1)?.config ?? snapshot?.config ?? startedUnder(events);

/** How the words read: "after update 52", "after updates 52 and 80". */
export const afterUpdates = (updates: readonly number[]): string =>
  `after ${updates.length > 1 ? `updates ${updates.slice(0, -1).join(", ")} and ` : "update "}${updates.at(-1) ?? 0}`;
