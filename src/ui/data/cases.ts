import { useStore } from "zustand";
import { createCasesStore, type CasesState } from "#store/cases-store.ts";

/** Outlives the page's parts, so that looking elsewhere loses nothing. */
export const cases = createCasesStore();

export const useCases = <T>(select: (state: CasesState) => T): T => useStore(cases, select);
