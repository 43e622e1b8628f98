import { createStore, type StoreApi } from "zustand/vanilla";
import type { GroupEntry } from "./run-state.ts";

export interface TurnSelection {
  readonly member: number;
  readonly turn: number;
}

/** Places of the screen; a narrow screen shows one at a time. */
export type RegionId = "credit" | "why" | "curves" | "recipe";

/** What is looked at: no part of the run. */
export interface ViewState {
  /** The region that a narrow screen shows. */
  readonly region: RegionId;
  /** The group held on the board while the run goes on; null follows the newest. */
  readonly held: GroupEntry | null;
  readonly selection: TurnSelection | null;
}

export interface ViewStore extends Pick<StoreApi<ViewState>, "getState" | "getInitialState" | "subscribe"> {
  /** Choosing a turn holds its group: what is being read does not move. */
  select(entry: GroupEntry, selection: TurnSelection): void;
  /** The turn in the same place stays chosen, if the group has one. */
  hold(entry: GroupEntry): void;
  follow(): void;
  show(region: RegionId): void;
}

export function createViewStore(): ViewStore {
  const store = createStore<ViewState>(() => ({ region: "credit", held: null, selection: null }));
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    select: (held, selection) => store.setState({ held, selection }),
    hold: (held) => store.setState({ held }),
    follow: () => store.setState({ held: null, selection: null }),
    show: (region) => store.setState({ region }),
  };
}
