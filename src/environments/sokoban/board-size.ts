import { rowsOf, type Level } from "./board.ts";

/** What there is to write of one level: the cells within its walls, and those that do not hold the commonest thing. A move is two tokens. */
export function boardSizeOf(level: Level): { readonly cells: number; readonly marked: number; readonly action: number; readonly sides: readonly [number, number] } {
  const rows = rowsOf(level).slice(1, -1).map((row) => row.slice(1, -1));
  const text = rows.join("");
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return { cells: text.length, marked: text.length - Math.max(...counts.values()), action: 2, sides: [rows[0]?.length ?? 0, rows.length] };
}
