import * as v from "valibot";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { GapPoint } from "./reward-gap.ts";

const rate = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const pointSchema = v.strictObject({ update: count, score: rate, success: rate, heldout: rate });
const exhibitSchema = v.strictObject({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(60)),
  /** Milliseconds since 1970. */
  addedAt: count,
  /** Opens the workbench with the run's settings. */
  link: v.pipe(v.string(), v.startsWith("#/play?"), v.maxLength(8_000)),
  preset: v.pipe(v.string(), v.maxLength(60)),
  check: v.pipe(v.string(), v.maxLength(60)),
  points: v.pipe(v.array(pointSchema), v.minLength(1), v.maxLength(200)),
});
const listSchema = v.pipe(v.array(exhibitSchema), v.maxLength(50));

/** A run of this person's whose training score stood above what it did on held-out tasks. */
export type OwnExhibit = v.InferOutput<typeof exhibitSchema>;
export interface NewExhibit extends Pick<OwnExhibit, "id" | "addedAt" | "link" | "preset" | "check"> {
  readonly points: readonly GapPoint[];
}

export interface OwnExhibitsState {
  /** Newest first. */
  readonly exhibits: readonly OwnExhibit[];
  /** Why the last change could not be kept; null when it was. */
  readonly fault: string | null;
}

export interface OwnExhibits extends Pick<StoreApi<OwnExhibitsState>, "getState" | "getInitialState" | "subscribe"> {
  /** The same id again replaces it. */
  add(exhibit: NewExhibit): void;
  remove(id: string): void;
}

const KEY = "turnwise/own-exhibits";
const UNREADABLE = `${KEY}/unreadable`;
const MOST = 50;

/** What is kept; what this page cannot read is put aside, never written over. */
function kept(storage: Pick<Storage, "getItem" | "setItem">): readonly OwnExhibit[] {
  const text = storage.getItem(KEY);
  if (text === null) return [];
  try {
    return v.parse(listSchema, JSON.parse(text));
  } catch {
    storage.setItem(UNREADABLE, text);
    return [];
  }
}

/** Kept in the browser's storage and nowhere else. @param open of the storage: a browser may refuse it. */
export function createOwnExhibits(open: () => Pick<Storage, "getItem" | "setItem">): OwnExhibits {
  const begin = (): OwnExhibitsState => {
    try {
      return { exhibits: kept(open()), fault: null };
    } catch {
      return { exhibits: [], fault: null };
    }
  };
  const store = createStore<OwnExhibitsState>(begin);
  /** Another page may have changed the list since. */
  const change = (next: (exhibits: readonly OwnExhibit[]) => readonly OwnExhibit[]): void => {
    try {
      const storage = open();
      const exhibits = next(kept(storage));
      storage.setItem(KEY, JSON.stringify(exhibits));
      store.setState({ exhibits, fault: null });
    } catch (error) {
      store.setState({ exhibits: next(store.getState().exhibits), fault: `it stays until the page is closed, as this browser keeps nothing: ${error instanceof Error ? error.message : String(error)}` });
    }
  };
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    add: (exhibit) => change((exhibits) => [{ ...exhibit, points: exhibit.points.map(({ update, score, success, heldout }) => ({ update, score, success, heldout })) }, ...exhibits.filter(({ id }) => id !== exhibit.id)].slice(0, MOST)),
    remove: (id) => change((exhibits) => exhibits.filter((exhibit) => exhibit.id !== id)),
  };
}
