import { createStore, type StoreApi } from "zustand/vanilla";
import { MOST_COMPARED } from "./entry.ts";

/** What is to be compared, and how runs are listed. */
export interface CompareChoice {
  /** Names of chosen runs, in the order they were chosen; of runs that differ by seed only, one stands for all while they are together. */
  readonly names: readonly string[];
  /** Whether runs that differ in nothing but their seed are one. */
  readonly isBySeedless: boolean;
}

export interface ChoiceStore extends Pick<StoreApi<CompareChoice>, "getState" | "getInitialState" | "subscribe"> {
  /** Takes it in or out; a fifth is not taken in. */
  toggle(name: string): void;
  /** Chosen ones are chosen anew: what stood for several would now be one of them. */
  together(isBySeedless: boolean): void;
  clear(): void;
}

export function createChoiceStore(): ChoiceStore {
  const store = createStore<CompareChoice>(() => ({ names: [], isBySeedless: true }));
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    toggle: (name) =>
      store.setState(({ names }) => ({ names: names.includes(name) ? names.filter((known) => known !== name) : names.length < MOST_COMPARED ? [...names, name] : names })),
    together: (isBySeedless) => store.setState({ names: [], isBySeedless }),
    clear: () => store.setState({ names: [] }),
  };
}

const NAME = /^[\w-]{1,64}$/;

export const compareAddress = ({ names, isBySeedless }: CompareChoice): string => `#/compare?runs=${names.join(",")}${isBySeedless ? "" : "&seeds=apart"}`;

/** What an address asks for: at most four names that could be a run's. */
export function readCompareAddress(hash: string): CompareChoice {
  const query = new URLSearchParams(hash.split("?")[1] ?? "");
  const names = (query.get("runs") ?? "").split(",").filter((name) => NAME.test(name));
  return { names: [...new Set(names)].slice(0, MOST_COMPARED), isBySeedless: query.get("seeds") !== "apart" };
}
