import { createStore, type StoreApi } from "zustand/vanilla";
import type { RunEvent } from "#run/run-event.ts";
import { INITIAL_RUN, reduceRun, type RunState, type SessionEvent } from "./run-state.ts";

export interface RunStore extends Pick<StoreApi<RunState>, "getState" | "getInitialState" | "subscribe"> {
  /** All events of a batch in one change, so that a batch costs one redraw. */
  apply(events: readonly (RunEvent | SessionEvent)[]): void;
}

export function createRunStore(): RunStore {
  const store = createStore<RunState>(() => INITIAL_RUN);
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    apply: (events) => {
      if (events.length > 0) store.setState(events.reduce(reduceRun, store.getState()), true);
    },
  };
}
