import { createStore, type StoreApi } from "zustand/vanilla";
import type { StoredRun } from "#trainer/library/run-library.ts";
import { bySeedless } from "../seed-groups.ts";
import { MOST_COMPARED } from "./entry.ts";

/** What is to be compared, and how runs are listed. */
export interface CompareChoice {
  /** Names of chosen runs, in the order they were chosen; of runs that differ by seed only, one stands for all while they are together. */
  readonly names: readonly string[];
  /** Whether runs that differ in nothing but their seed are one. */
  readonly isBySeedless: boolean;
}

export interface ChoiceStore extends Pick<StoreApi<CompareChoice>, "getState" | "getInitialState" | "subscribe"> {
  /** Takes an entry in or out, given by the names of all its runs; a fifth is not taken in. */
  toggle(entry: readonly string[]): void;
  /** Runs that are listed no more are not chosen any more, and of runs that have become one entry one is. */
  listed(runs: readonly Pick<StoredRun, "name" | "config" | "changedAfter">[]): void;
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
    toggle: (entry) =>
      store.setState(({ names }) => {
        const others = names.filter((name) => !entry.includes(name));
        if (others.length < names.length) return { names: others };
        return { names: names.length < MOST_COMPARED ? [...names, ...entry.slice(0, 1)] : names };
      }),
    listed: (runs) =>
      store.setState((state) => {
        const groups = state.isBySeedless ? bySeedless(runs) : runs.map((run) => [run]);
        const kept = groups.flatMap((group) => state.names.find((name) => group.some((run) => run.name === name)) ?? []);
        return { names: state.names.filter((name) => kept.includes(name)) };
      }),
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
