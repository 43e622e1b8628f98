import { useStore } from "zustand";
import { createOwnExhibits, type OwnExhibitsState } from "#store/own-exhibits.ts";

/** One list for the gallery and for the notice that adds to it. */
export const ownExhibits = createOwnExhibits(() => localStorage);

export const useOwnExhibits = <T>(select: (state: OwnExhibitsState) => T): T => useStore(ownExhibits, select);
