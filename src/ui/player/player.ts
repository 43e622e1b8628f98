import { useStore } from "zustand";
import { connectExaminer } from "#protocol/connect-examiner.ts";
import { createPlayerStore, type PlayerState } from "#store/player-store.ts";

/** Outlives the page's parts, so that looking elsewhere loses nothing. */
export const player = createPlayerStore((onCrash) => connectExaminer(onCrash));

export const usePlayer = <T>(select: (state: PlayerState) => T): T => useStore(player, select);
