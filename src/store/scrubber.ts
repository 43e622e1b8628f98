import type { GroupEntry, RunState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { groupAt } from "./selectors.ts";
import type { ViewStore } from "./view-store.ts";

/** Goes back and forth through the updates that were computed; the run itself is left alone. */
export interface Scrubber {
  /** Clamped to what there is. */
  to(update: number): void;
  /** From the update that is shown. */
  by(updates: number): void;
}

export interface ScrubberParts {
  readonly run: RunStore;
  readonly view: ViewStore;
}

export function createScrubber({ run, view }: ScrubberParts): Scrubber {
  const to = (update: number): void => {
    const state = run.getState();
    const at = clamped(update, state);
    if (at !== null) view.hold(at, groupAt(state, at));
  };
  return { to, by: (updates) => to((view.getState().at ?? run.getState().update) + updates) };
}

/** Null where nothing can be gone back to. */
function clamped(update: number, { update: last, groups }: RunState): number | null {
  const first: GroupEntry | undefined = groups[0];
  if (first === undefined || !Number.isFinite(update)) return null;
  return Math.max(0, Math.min(last, Math.round(update)));
}
