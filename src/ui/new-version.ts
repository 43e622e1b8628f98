import { createStore } from "zustand/vanilla";

/** Changes to a newer version of the page that has been loaded and waits; null while there is none. */
export const newVersion = createStore<{ readonly change: (() => void) | null }>(() => ({ change: null }));
