import { createStore, type StoreApi } from "zustand/vanilla";
import type { CreditId, GroupTruth } from "#run/assessment.ts";

/** How the board shows what it shows: no part of a run, nor of a link. */
export interface BoardState {
  /** All trajectories with truth and one scheme, or one trajectory with all schemes. */
  readonly layout: "group" | "focus";
  /** Shown beside truth; null: what the group was trained with. */
  readonly scheme: CreditId | null;
  readonly isTruthShown: boolean;
  /** Everything else stands back. */
  readonly onlyMismatches: boolean;
  readonly scale: "equal" | "raw";
  readonly given: GroupTruth["given"];
  /** Share of truth on the dial. */
  readonly share: number;
  /** Further schemes in the focus view. */
  readonly more: readonly CreditId[];
}

export interface BoardStore extends Pick<StoreApi<BoardState>, "getState" | "getInitialState" | "subscribe"> {
  lay(layout: BoardState["layout"]): void;
  /** Null: what the group was trained with. */
  compare(scheme: CreditId | null): void;
  toggleTruth(): void;
  toggleMismatches(): void;
  toggleScale(): void;
  give(given: BoardState["given"]): void;
  /** Shows the blend at once. */
  dial(share: number): void;
  add(scheme: CreditId): void;
  remove(scheme: CreditId): void;
}

const INITIAL: BoardState = {
  layout: "group", scheme: null, isTruthShown: true, onlyMismatches: false, scale: "equal", given: "history", share: 0, more: [],
};

export function createBoardStore(): BoardStore {
  const store = createStore<BoardState>(() => INITIAL);
  const set = store.setState;
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    lay: (layout) => set({ layout }),
    compare: (scheme) => set({ scheme }),
    toggleTruth: () => set(({ isTruthShown }) => ({ isTruthShown: !isTruthShown })),
    toggleMismatches: () => set(({ onlyMismatches }) => ({ onlyMismatches: !onlyMismatches })),
    toggleScale: () => set(({ scale }) => ({ scale: scale === "equal" ? "raw" : "equal" })),
    give: (given) => set({ given }),
    dial: (share) => set({ share, scheme: "dial" }),
    add: (scheme) => set(({ more }) => ({ more: more.includes(scheme) ? more : [...more, scheme] })),
    remove: (scheme) => set(({ more }) => ({ more: more.filter((other) => other !== scheme) })),
  };
}
