import { TaskError } from "#core/errors.ts";
import { FLOOR, GOAL, WALL, type Level } from "./board.ts";
import { expandRuns } from "./run-length.ts";

/** Cells each way. The largest published levels are about 60 wide. */
const LARGEST = 128;
const TAB = 8;

const CHARACTERS = "#@+$*. -_";
const PLAYERS = "@+";
const BOXES = "$*";
const GOALS = "+*.";

interface Row {
  readonly text: string;
  /** In the file, from 1. */
  readonly line: number;
}

const refuse = (reason: string, line: number): TaskError => new TaskError(`line ${line}: ${reason}`, { line, reason });

function withoutTabs(text: string): string {
  let written = "";
  for (const character of text) written += character === "\t" ? " ".repeat(TAB - (written.length % TAB)) : character;
  return written;
}

/** One line of text as rows: runs written out, "|" between them. */
function rowsOfLine(text: string, line: number): readonly Row[] {
  const plain = withoutTabs(text.replaceAll("\r", "")).trimEnd();
  let expanded: string;
  try {
    expanded = expandRuns(plain, LARGEST * (LARGEST + 1));
  } catch (error) {
    throw error instanceof TaskError ? refuse(error.message, line) : error;
  }
  for (const [index, character] of Array.from(expanded).entries()) {
    if (!CHARACTERS.includes(character) && character !== "|") {
      throw refuse(`${JSON.stringify(character)} at column ${index + 1} is no cell; allowed are # @ + $ * . - _ and space`, line);
    }
  }
  return expanded.split("|").map((row) => ({ text: row, line }));
}

/** Rows of equal length, one cell of floor around them. */
class Plan {
  readonly width: number;
  readonly cells: string;
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.width = Math.max(0, ...rows.map(({ text }) => text.length)) + 2;
    const margin = FLOOR.repeat(this.width);
    this.cells = [margin, ...rows.map(({ text }) => `${FLOOR}${text.replaceAll(/[-_]/g, FLOOR)}`.padEnd(this.width)), margin].join("");
    this.#rows = rows;
  }

  /** Cells where one of these characters stands. */
  where(characters: string): readonly number[] {
    return Array.from(this.cells).flatMap((character, cell) => (characters.includes(character) ? [cell] : []));
  }

  lineOf(cell: number): number {
    const row = Math.floor(cell / this.width) - 1;
    return this.#rows[Math.min(Math.max(row, 0), this.#rows.length - 1)]?.line ?? 0;
  }

  /** All that a walk from a cell can get to, boxes or not. */
  connected(start: number): ReadonlySet<number> {
    const found = new Set([start]);
    for (const cell of found) {
      const sides = [-1, 1, -this.width, this.width].map((step) => cell + step);
      for (const side of sides) if (this.cells[side] !== undefined && this.cells[side] !== WALL) found.add(side);
    }
    return found;
  }
}

/** Where a cell is in the smallest room that holds all of the player's cells and a wall around them. */
function cropped(plan: Plan, inside: ReadonlySet<number>): { readonly width: number; readonly cells: readonly number[] } {
  const rows = [...inside].map((cell) => Math.floor(cell / plan.width));
  const columns = [...inside].map((cell) => cell % plan.width);
  const [top, left] = [Math.min(...rows) - 1, Math.min(...columns) - 1];
  const [height, width] = [Math.max(...rows) + 2 - top, Math.max(...columns) + 2 - left];
  return { width, cells: Array.from({ length: width * height }, (_, cell) => (top + Math.floor(cell / width)) * plan.width + left + (cell % width)) };
}

/**
 * A level in XSB characters, runs allowed, rows of any length, "|" for a line break, "-" and "_" for floor. What the player can never
 * get to becomes wall: floor outside, and boxes that decorate the walls, which must stand on goals.
 * @param firstLine line of the first row, from 1.
 * @throws TaskError with the reason and the line: not exactly one player, a way out, a box that can never be pushed home, fewer goals
 * than boxes, a character that is no cell, more than 128 × 128 cells.
 */
export function readLevel(lines: readonly string[], firstLine = 1): Level {
  if (lines.length > LARGEST) throw refuse(`allowed are at most ${LARGEST} rows, got ${lines.length}`, firstLine);
  const rows = lines.flatMap((text, index) => rowsOfLine(text, firstLine + index));
  const plan = new Plan(rows);
  if (rows.length > LARGEST || plan.width - 2 > LARGEST) throw refuse(`allowed are at most ${LARGEST} × ${LARGEST} cells, got ${plan.width - 2} × ${rows.length}`, firstLine);

  const [player, second] = plan.where(PLAYERS);
  if (player === undefined) throw refuse("there is no player (@, or + on a goal)", firstLine);
  if (second !== undefined) throw refuse("there is a second player (@ or +)", plan.lineOf(second));
  const inside = plan.connected(player);
  const exit = [...inside].find((cell) => Math.floor(cell / plan.width) === 0 || cell % plan.width === 0 || cell % plan.width === plan.width - 1 || cell >= plan.cells.length - plan.width);
  if (exit !== undefined) throw refuse("the player can walk out: the walls around are not closed", exitLine(plan, inside));

  const all = plan.where(BOXES);
  if (all.length === 0) throw refuse("there is no box ($, or * on a goal)", firstLine);
  const stranded = all.find((box) => !inside.has(box) && !GOALS.includes(plan.cells[box] ?? ""));
  if (stranded !== undefined) throw refuse("there is a box off its goal that the player can never get to", plan.lineOf(stranded));
  const boxes = all.filter((box) => inside.has(box));
  const goals = plan.where(GOALS).filter((goal) => inside.has(goal));
  if (goals.length < boxes.length) throw refuse(`there are ${boxes.length} boxes and only ${goals.length} goals`, firstLine);

  const { width, cells } = cropped(plan, inside);
  return {
    room: { width, cells: cells.map((cell) => (!inside.has(cell) ? WALL : GOALS.includes(plan.cells[cell] ?? "") ? GOAL : FLOOR)).join("") },
    player: cells.indexOf(player),
    boxes: boxes.map((box) => cells.indexOf(box)),
  };
}

/** Of the first cell at the level's own edge that the player gets to. */
function exitLine(plan: Plan, inside: ReadonlySet<number>): number {
  const last = plan.cells.length / plan.width - 2;
  const atEdge = [...inside].find((cell) => {
    const [row, column] = [Math.floor(cell / plan.width), cell % plan.width];
    return row >= 1 && row <= last && column >= 1 && column <= plan.width - 2 && (row === 1 || row === last || column === 1 || column === plan.width - 2);
  });
  return plan.lineOf(atEdge ?? 0);
}
