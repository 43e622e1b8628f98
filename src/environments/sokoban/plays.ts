import { TaskError } from "#core/errors.ts";
import type { Action } from "#core/trajectory.ts";
import { DIRECTIONS, isSolved, LETTERS, rowsOf, type Level } from "./board.ts";
import { MOST_PLAYS, type SokobanConfig } from "./config.ts";
import { readLevel } from "./level-reader.ts";
import { move } from "./rules.ts";
import { writeRuns } from "./run-length.ts";
import { readMoves, replay } from "./solution.ts";
import { splitOf } from "./tasks.ts";

/** Somebody's solution of a level: the letters l, u, r, d, capitals for pushes. */
export interface OwnPlay {
  readonly level: Level;
  readonly moves: string;
}

/** One line of text, runs shortened, floor as "-": it stands in links and settings. */
export const writeLevel = (level: Level): string => writeRuns(rowsOf(level).join("|").replaceAll(" ", "-"));

/** As `plays` of the settings holds it. */
export const writePlay = ({ level, moves }: OwnPlay): string => `${writeLevel(level)}:${writeRuns(moves)}`;

export const writePlays = (plays: readonly OwnPlay[]): string => plays.map(writePlay).join(";");

/**
 * Why a play is nothing to learn from, undefined where it is: it must solve its level, with its last move, and on no level that the
 * policy is measured on.
 */
export function refusalOf({ level, moves }: OwnPlay, config: SokobanConfig): string | undefined {
  const played = replay(level, moves);
  if (!played.solved) return `it does not solve the level: ${played.reason}`;
  if (moves === "" || solvedAfter(level, moves) < moves.length) return `the level is solved after ${solvedAfter(level, moves)} of its ${moves.length} moves: leave out the rest`;
  const split = splitOf(level, config);
  const isMeasured = split === "heldout" || (split === "shifted" && level.room.width === config.size + 2 && level.room.cells.length === level.room.width ** 2);
  return isMeasured ? "the level, or a turn or mirror of it, is one that is held out: learning from it would spoil what is measured" : undefined;
}

/** Moves until all boxes are home for the first time. */
function solvedAfter(start: Level, moves: string): number {
  let level = start;
  for (let at = 0; at < moves.length; at += 1) {
    if (isSolved(level)) return at;
    level = move(level, directionOf(moves[at] ?? "")).level;
  }
  return moves.length;
}

const directionOf = (letter: string) => DIRECTIONS.find((direction) => LETTERS[direction] === letter.toLowerCase()) ?? "left";

export const actionsOf = (moves: string): readonly Action[] => Array.from(moves, (letter) => ({ kind: "tool", name: directionOf(letter), args: {} }));

/** The plays of a text, as they are written. @throws TaskError with the number of the first one that is none, and the reason */
export function readPlays(text: string, config: SokobanConfig): readonly OwnPlay[] {
  const parts = text.split(";").filter((part) => part !== "");
  if (parts.length > MOST_PLAYS) throw new TaskError(`plays holds ${parts.length} plays; allowed are at most ${MOST_PLAYS}`, { plays: parts.length });
  return parts.map((part, index) => {
    const refuse = (reason: string): TaskError => new TaskError(`play ${index + 1} of plays is refused: ${reason}`, { play: index + 1 });
    const [board, letters, ...rest] = part.split(":");
    if (board === undefined || letters === undefined || rest.length > 0) throw refuse("a play is a level, a colon and its moves");
    let play: OwnPlay;
    try {
      play = { level: readLevel([board]), moves: readMoves(letters) };
    } catch (error) {
      throw error instanceof TaskError ? refuse(error.message) : error;
    }
    const reason = refusalOf(play, config);
    if (reason !== undefined) throw refuse(reason);
    return play;
  });
}
