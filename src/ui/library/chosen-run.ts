import { createStore } from "zustand/vanilla";
import type { StoredRun } from "#trainer/library/run-library.ts";

/** The stored run that the export dialog is about; null for the one on screen. */
export const chosenRun = createStore<{ readonly run: StoredRun | null }>(() => ({ run: null }));
