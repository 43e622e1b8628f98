import { createStore, type StoreApi } from "zustand/vanilla";
import type { GroupEntry } from "./run-state.ts";

export interface TurnSelection {
  readonly member: number;
  readonly turn: number;
}

/** Places of the screen; a narrow screen shows one at a time. */
export type RegionId = "credit" | "why" | "curves" | "recipe";

export type InspectorTab = "turn" | "database" | "sequence";

/** What is looked at: no part of the run. */
export interface ViewState {
  /** The region that a narrow screen shows. */
  readonly region: RegionId;
  readonly tab: InspectorTab;
  /** The update that board, charts and readouts show; null follows the newest. */
  readonly at: number | null;
  /** The group held on the board while the run goes on; null follows the newest. */
  readonly held: GroupEntry | null;
  readonly selection: TurnSelection | null;
}

export interface ViewStore extends Pick<StoreApi<ViewState>, "getState" | "getInitialState" | "subscribe"> {
  /** Choosing a turn holds its group: what is being read does not move. */
  select(entry: GroupEntry, selection: TurnSelection): void;
  /** Looks at an update and at the group kept of it. The turn in the same place stays chosen, if the group has one. */
  hold(at: number, entry: GroupEntry | null): void;
  follow(): void;
  /** To what is looked at before anything ran. */
  home(): void;
  show(region: RegionId): void;
  openTab(tab: InspectorTab): void;
}

export type FirstView = Pick<ViewState, "held" | "selection">;

export const NOTHING_FIRST: FirstView = { held: null, selection: null };

/** @param first what is looked at before anything ran, as things stand */
export function createViewStore(first: () => FirstView = () => NOTHING_FIRST): ViewStore {
  const home = (): Pick<ViewState, "at" | "held" | "selection"> => {
    const { held, selection } = first();
    return { at: held === null ? null : held.update, held, selection };
  };
  const store = createStore<ViewState>(() => ({ region: "credit", tab: "turn", ...home() }));
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    select: (held, selection) => store.setState({ at: held.update, held, selection }),
    hold: (at, held) => store.setState({ at, held }),
    follow: () => store.setState({ at: null, held: null, selection: null }),
    home: () => store.setState(home()),
    show: (region) => store.setState({ region }),
    openTab: (tab) => store.setState({ tab }),
  };
}
