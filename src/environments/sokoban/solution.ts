import { TaskError } from "#core/errors.ts";
import { DIRECTIONS, isSolved, LETTERS, type Direction, type Level } from "./board.ts";
import { move } from "./rules.ts";
import { expandRuns } from "./run-length.ts";

/** The longest published solutions have some 10,000 moves. */
const LONGEST = 100_000;

const BY_LETTER: ReadonlyMap<string, Direction> = new Map(DIRECTIONS.map((direction) => [LETTERS[direction], direction]));

/**
 * The moves of a solution, one letter each: l u r d, capitals for pushes; runs are written out, white space is left out.
 * @throws TaskError for anything else, or more than 100,000 moves.
 */
export function readMoves(text: string): string {
  const moves = expandRuns(text.replaceAll(/\s/g, ""), LONGEST);
  const odd = Array.from(moves).findIndex((letter) => !BY_LETTER.has(letter.toLowerCase()));
  if (odd >= 0) throw new TaskError(`${JSON.stringify(moves[odd])} at move ${odd + 1} is no move; allowed are l, u, r, d, their capitals and runs`, { move: odd + 1 });
  return moves;
}

export type Replay =
  | { readonly solved: true; readonly moves: number; readonly pushes: number; readonly end: Level }
  /** `move` counts from 1; it is one past the last where all went well but boxes are left over. */
  | { readonly solved: false; readonly move: number; readonly reason: string; readonly end: Level };

/** Plays moves. Where there are capitals at all, they must stand for pushes and nothing else. */
export function replay(level: Level, moves: string): Replay {
  const told = /[LURD]/.test(moves);
  let at = level;
  let pushes = 0;
  for (const [index, letter] of Array.from(moves).entries()) {
    const small = letter.toLowerCase();
    const direction = BY_LETTER.get(small);
    const fail = (reason: string): Replay => ({ solved: false, move: index + 1, reason: `move ${index + 1} (${letter}) ${reason}`, end: at });
    if (direction === undefined) return fail("is none of l, u, r, d");
    const { level: next, moved, pushed } = move(at, direction);
    if (!moved) return fail("is blocked");
    if (told && pushed !== (letter !== small)) return fail(pushed ? "pushes a box, but is written small" : "pushes nothing, but is written as a push");
    if (pushed) pushes += 1;
    at = next;
  }
  if (isSolved(at)) return { solved: true, moves: moves.length, pushes, end: at };
  const left = at.boxes.filter((box) => at.room.cells[box] !== ".").length;
  return { solved: false, move: moves.length + 1, reason: `after all ${moves.length} moves ${left} of ${at.boxes.length} boxes are off goals`, end: at };
}
