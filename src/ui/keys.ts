/** The keyboard, as the overlay lists it. No single key is the only way to anything. */
export interface KeyLine {
  /** Pressed together within a string, one after another or instead across strings. */
  readonly keys: readonly string[];
  readonly does: string;
}

export const KEY_GROUPS: readonly { readonly title: string; readonly lines: readonly KeyLine[] }[] = [
  {
    title: "Run",
    lines: [
      { keys: ["Space"], does: "run, pause, resume; nothing at a finished run" },
      { keys: ["."], does: "one update on; a new one at the end, but not of a finished run" },
      { keys: [","], does: "one update back" },
      { keys: ["Shift .", "Shift ,"], does: "ten updates on, back" },
      { keys: ["L"], does: "live: follow the newest update" },
      { keys: ["R"], does: "reset to the same seed" },
      { keys: ["Shift R"], does: "reset to a new seed" },
    ],
  },
  {
    title: "Look",
    lines: [
      { keys: ["J", "K"], does: "next, previous trajectory" },
      { keys: ["←", "→"], does: "previous, next turn" },
      { keys: ["↑", "↓", "Home", "End"], does: "move about on the board" },
      { keys: ["Enter"], does: "open the chosen turn under Why?" },
      { keys: ["Esc"], does: "close, or go back" },
      { keys: ["F6", "Shift F6"], does: "next, previous part of the screen" },
    ],
  },
  {
    title: "Credit",
    lines: [
      { keys: ["1 … 6"], does: "truth, flat, process, turn-level, critic, implicit" },
      { keys: ["T"], does: "truth on or off" },
      { keys: ["G"], does: "one trajectory under all schemes, or the group" },
      { keys: ["M"], does: "next turn whose sign differs from truth" },
      { keys: ["F"], does: "fork at the chosen turn" },
      { keys: ["B"], does: "run its branch 64 times" },
    ],
  },
  {
    title: "Page",
    lines: [
      { keys: ["S"], does: "share: the link to what is set and looked at" },
      { keys: ["?"], does: "this list" },
    ],
  },
];
