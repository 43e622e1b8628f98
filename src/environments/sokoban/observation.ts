import { TaskError } from "#core/errors.ts";
import type { Json, Observation } from "#core/trajectory.ts";
import { FLOOR, GOAL, rowsOf, WALL, type Level } from "./board.ts";
import { BOARD, CELL_WORDS } from "./words.ts";

const CHARACTERS: ReadonlyMap<Json, string> = new Map(Object.entries(CELL_WORDS).map(([character, word]) => [word, character]));

/** The interior, row by row, one word a cell: the wall around it goes without saying. */
export const boardObservation = (level: Level): Observation => ({
  kind: BOARD,
  content: rowsOf(level).slice(1, -1).map((row) => Array.from(row.slice(1, -1), (character) => CELL_WORDS[character] ?? "")),
});

/** The level that an observation shows: nothing is hidden. @throws TaskError for any other observation. */
export function levelOf({ kind, content }: Observation): Level {
  if (kind !== BOARD || !Array.isArray(content)) throw new TaskError(`a board is needed, got an observation of kind ${JSON.stringify(kind)}`);
  const rows = content.map((row: Json) => (Array.isArray(row) ? row.map((word: Json) => CHARACTERS.get(word) ?? WALL).join("") : ""));
  const width = (rows[0]?.length ?? 0) + 2;
  const text = [WALL.repeat(width), ...rows.map((row) => WALL + row + WALL), WALL.repeat(width)].join("");
  const where = (characters: string): readonly number[] => Array.from(text).flatMap((character, cell) => (characters.includes(character) ? [cell] : []));
  const [player] = where("@+");
  if (player === undefined) throw new TaskError("a board without a player is none of a level");
  return { room: { width, cells: text.replaceAll(/[+*]/g, GOAL).replaceAll(/[@$]/g, FLOOR) }, player, boxes: where("$*") };
}
