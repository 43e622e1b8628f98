import { useStore } from "zustand";
import { createChoiceStore } from "#store/compare/compare-choice.ts";
import { createLibraryStore, type LibraryState } from "#store/library-store.ts";
import { createRunLibrary } from "#trainer/library/run-library.ts";

const newName = (): string => crypto.getRandomValues(new Uint32Array(2)).join("-");

export const library = createRunLibrary({ newName, now: () => Date.now() });
/** Outlives the page's parts, so that looking elsewhere loses nothing. */
export const stored = createLibraryStore(library);

/** Which of them are to be compared. */
export const choice = createChoiceStore();
stored.subscribe(({ listing, fault }, before) => {
  // A list that could not be read is empty, and says nothing of what is stored.
  if (listing !== null && listing !== before.listing && fault?.reason !== "unavailable") choice.listed(listing.runs);
});

export const useLibrary = <T>(select: (state: LibraryState) => T): T => useStore(stored, select);
