import type { RunState, RunStatus } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";

export type ReadableRun = Pick<RunStore, "getState" | "getInitialState" | "subscribe">;

/** When the page is hidden nothing is drawn; `subscribe` tells when that changes. */
export interface Visibility {
  hidden(): boolean;
  subscribe(listener: () => void): () => void;
}

export type Urgent = (next: RunState, shown: RunState) => boolean;

/** Another status or run, or the first group. */
const isTurn: Urgent = (next, shown) => next.status !== shown.status || next.run !== shown.run || (next.groups.length > 0 && shown.groups.length === 0);

const RESTING: ReadonlySet<RunStatus> = new Set(["paused", "finished", "failed", "device-lost"]);
/** The run stands still, or stands still somewhere else: what is said of it is to be right from the start. */
export const comesToRest: Urgent = (next, shown) => RESTING.has(next.status) && (next.status !== shown.status || next.update !== shown.update);

/** Most of the page's time that one pace may spend on drawing: what is slow to draw, or drawn on a slow machine, is drawn less often. */
const SHARE = 1 / 40;
/** Milliseconds: but what is older is not live. */
const OLDEST = 1000;

const ALWAYS_VISIBLE: Visibility = { hidden: () => false, subscribe: () => () => {} };

/**
 * The run as a panel may draw it: at most `hertz` changes a second and at most a fortieth of the time (but for one a second), the newest state
 * last, each in a task of its own, so that two panels never redraw in one task. What is `urgent` passes at once. Nothing
 * passes while hidden.
 */
export function paceRun(source: ReadableRun, hertz: number, visibility: Visibility = ALWAYS_VISIBLE, urgent: Urgent = isTurn): ReadableRun {
  let period = 1000 / hertz;
  const listeners = new Set<(state: RunState, previous: RunState) => void>();
  let shown = source.getState();
  let last = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | null = null;

  const show = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const previous = shown;
    shown = source.getState();
    last = performance.now();
    if (previous === shown) return;
    for (const listener of listeners) listener(shown, previous);
    // What was drawn is drawn when the next task begins.
    setTimeout(() => {
      period = Math.max(1000 / hertz, Math.min(OLDEST, (performance.now() - last) / SHARE));
    });
  };
  const schedule = (): void => {
    const state = source.getState();
    if (visibility.hidden()) return;
    // What rests takes no time from the page: what is found out about it is shown soon.
    const wait = RESTING.has(state.status) ? 1000 / hertz : period;
    if (urgent(state, shown)) show();
    else timer ??= setTimeout(show, Math.max(0, last + wait - performance.now()));
  };
  source.subscribe(schedule);
  visibility.subscribe(schedule);
  return {
    getState: () => shown,
    getInitialState: source.getInitialState,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
