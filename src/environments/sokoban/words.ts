/** One word a cell. */
export const CELL_WORDS: Readonly<Record<string, string>> = {
  " ": "floor", ".": "goal", "@": "player", "+": "player-on-goal", $: "box", "*": "box-on-goal", "#": "wall",
};

/** The first thing that is seen, and all that comes after a move. */
export const BOARD = "board";
export const NOT_UNDERSTOOD = "not-understood";

/** Column and row of each interior cell, one word, for harnesses that write coordinates: a1 is at the top left. */
const PLACES: readonly string[] = Array.from({ length: 100 }, (_, index) => `${"abcdefghij"[index % 10] ?? ""}${Math.floor(index / 10) + 1}`);

export const WORDS: readonly string[] = [BOARD, ...Object.values(CELL_WORDS), ...PLACES, NOT_UNDERSTOOD];
