import type { RunState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";

export type ReadableRun = Pick<RunStore, "getState" | "getInitialState" | "subscribe">;

/** When the page is hidden nothing is drawn; `subscribe` tells when that changes. */
export interface Visibility {
  hidden(): boolean;
  subscribe(listener: () => void): () => void;
}

const ALWAYS_VISIBLE: Visibility = { hidden: () => false, subscribe: () => () => {} };

/**
 * The run as a panel may draw it: at most `hertz` changes a second, the newest state last, each in a task of its own, so
 * that two panels never redraw in one task. Where it is eager, a change of status or of run and the first group pass at once.
 * Nothing passes while hidden.
 */
export function paceRun(source: ReadableRun, hertz: number, visibility: Visibility = ALWAYS_VISIBLE, isEager = true): ReadableRun {
  const period = 1000 / hertz;
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
    if (previous !== shown) for (const listener of listeners) listener(shown, previous);
  };
  const schedule = (): void => {
    const state = source.getState();
    if (visibility.hidden()) return;
    const first = state.groups.length > 0 && shown.groups.length === 0;
    if (isEager && (state.status !== shown.status || state.run !== shown.run || first)) show();
    else timer ??= setTimeout(show, Math.max(0, last + period - performance.now()));
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
