import { createStore, type StoreApi } from "zustand/vanilla";

/** What still changes the settings without anybody's doing: a link that is being read, and markup in which something was set before its script came. */
export type Hold = "link" | "markup";

export interface GateState {
  /** A run was asked for and waits. */
  readonly isAwaited: boolean;
}

/** A run that is asked for before it is known what the page is to show starts once that is known, and with it. */
export interface StartGate extends Pick<StoreApi<GateState>, "getState" | "getInitialState" | "subscribe"> {
  hold(by: Hold): void;
  release(by: Hold): void;
  /** Released, but other settings came of it than whoever asked could expect: what waits is called off. Nothing where it was released before. */
  giveUp(by: Hold): void;
  /** At once, or when nothing holds any more. What waited before is called off. */
  pass(start: () => void): void;
  callOff(): void;
}

export function createStartGate(): StartGate {
  const store = createStore<GateState>(() => ({ isAwaited: false }));
  const holds = new Set<Hold>();
  let waiting: (() => void) | null = null;
  const wait = (start: (() => void) | null): void => {
    waiting = start;
    store.setState({ isAwaited: start !== null });
  };
  const release = (by: Hold): void => {
    holds.delete(by);
    if (holds.size > 0 || waiting === null) return;
    const start = waiting;
    wait(null);
    start();
  };
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    hold: (by) => holds.add(by),
    release,
    giveUp: (by) => {
      if (!holds.has(by)) return;
      wait(null);
      release(by);
    },
    pass: (start) => {
      wait(holds.size > 0 ? start : null);
      if (holds.size === 0) start();
    },
    callOff: () => wait(null),
  };
}
