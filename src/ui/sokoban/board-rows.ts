import type { Json, Observation } from "#core/trajectory.ts";
import { CELL_WORDS } from "#environments/sokoban/words.ts";
import type { MemberRecord } from "#run/run-event.ts";
import type { BoxPath } from "./board-picture.tsx";
import type { PolicyPlay } from "./compare-plays.tsx";

const CHARACTERS: ReadonlyMap<Json, string> = new Map(Object.entries(CELL_WORDS).map(([character, word]) => [word, character]));

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isText = (value: Json): value is string => typeof value === "string";
const fieldOf = (state: Json, key: string): Json | undefined =>
  state !== null && typeof state === "object" && !Array.isArray(state) ? (state as { readonly [key: string]: Json })[key] : undefined;

/** The board of an observation in XSB characters, a wall drawn around it; null for anything else. */
export function rowsOfObservation({ content }: Observation): readonly string[] | null {
  if (!isList(content) || content.length === 0) return null;
  const rows = content.map((row) => (isList(row) ? row.map((word) => CHARACTERS.get(word) ?? "").join("") : ""));
  const width = rows[0]?.length ?? 0;
  if (width === 0 || rows.some((row) => row.length !== width)) return null;
  const wall = "#".repeat(width + 2);
  return [wall, ...rows.map((row) => `#${row}#`), wall];
}

/** The board of a state as the environment shows it; null for a state of another environment. */
export function rowsOfState(state: Json): readonly string[] | null {
  const board = fieldOf(state, "board");
  return isList(board) && board.length > 0 && board.every(isText) ? board : null;
}

export const deadOfState = (state: Json): readonly number[] => {
  const dead = fieldOf(state, "dead");
  return isList(dead) ? dead.filter((cell) => typeof cell === "number") : [];
};

const boxesOf = (rows: readonly string[]): readonly number[] =>
  Array.from(rows.join("")).flatMap((character, cell) => ("$*".includes(character) ? [cell] : []));

/** Where each box went in the states given, in order; a step moves one box at most, so the cell that is new is where the missing one went. */
export function boxPaths(states: readonly Json[]): readonly BoxPath[] {
  const boards = states.flatMap((state) => rowsOfState(state) ?? []).length === 0 ? [] : states.map((state) => boxesOf(rowsOfState(state) ?? []));
  const paths = (boards[0] ?? []).map((cell) => [cell]);
  for (const boxes of boards.slice(1)) {
    const arrived = boxes.find((cell) => !paths.some((path) => path.at(-1) === cell));
    const moved = paths.find((path) => !boxes.includes(path.at(-1) ?? -1));
    if (arrived !== undefined && moved !== undefined) moved.push(arrived);
  }
  return paths.filter((path) => path.length > 1);
}

/** A board in words: what moved, and how many boxes are home. */
export function boardLabel(rows: readonly string[]): string {
  const text = rows.join("");
  const count = (characters: string): number => Array.from(text).filter((character) => characters.includes(character)).length;
  const [boxes, home] = [count("$*"), count("*")];
  return `Board of ${(rows[0]?.length ?? 2) - 2} by ${rows.length - 2}, ${home} of ${boxes} ${boxes === 1 ? "box" : "boxes"} home`;
}

const LETTER_OF: ReadonlyMap<string, string> = new Map([["left", "l"], ["up", "u"], ["right", "r"], ["down", "d"]]);

/** What the policy did, as a person's play is written: capitals for pushes, "·" for what is no move. */
export function policyPlay({ stateBefore, turns, success }: MemberRecord, name: string): PolicyPlay {
  const boards = [stateBefore, ...turns.map(({ stateAfter }) => stateAfter)].map((state) => rowsOfState(state) ?? []);
  const letters = turns.map(({ action }, at) => {
    const letter = action.kind === "tool" ? LETTER_OF.get(action.name) : undefined;
    const pushed = boxesOf(boards[at] ?? []).join(" ") !== boxesOf(boards[at + 1] ?? []).join(" ");
    return letter === undefined ? "·" : pushed ? letter.toUpperCase() : letter;
  });
  return { name, boards, letters: letters.join(""), success };
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** "12 moves, 3 pushes": pushes are written as capitals. */
export const movesText = (letters: string): string =>
  `${counted(letters.length, "move", "moves")}, ${counted(letters.replaceAll(/[lurd]/g, "").length, "push", "pushes")}`;
