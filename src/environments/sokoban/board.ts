/** Type aliases, not interfaces: levels are shown and compared as JSON. */
export type Room = {
  readonly width: number;
  /** Row by row: "#" wall, "." goal, " " floor. Every floor cell is enclosed by walls, so a step never leaves the text. */
  readonly cells: string;
};

/** A room with somebody in it; also the state of an episode. */
export type Level = {
  readonly room: Room;
  /** Index of a cell. */
  readonly player: number;
  /** Indices of cells, rising. */
  readonly boxes: readonly number[];
};

export const WALL = "#";
export const GOAL = ".";
export const FLOOR = " ";

/** In the order of the letters l, u, r, d in which solutions are written. */
export const DIRECTIONS = ["left", "up", "right", "down"] as const;
export type Direction = (typeof DIRECTIONS)[number];
export const LETTERS: Readonly<Record<Direction, string>> = { left: "l", up: "u", right: "r", down: "d" };

/** How the index of a cell changes by a step. */
export const stepOf = ({ width }: Pick<Room, "width">, direction: Direction): number =>
  ({ left: -1, up: -width, right: 1, down: width })[direction];

/** The same for all four, in the order of `DIRECTIONS`. */
export const stepsOf = (room: Pick<Room, "width">): readonly number[] => DIRECTIONS.map((direction) => stepOf(room, direction));

export const heightOf = ({ width, cells }: Room): number => cells.length / width;
export const isWall = ({ cells }: Room, cell: number): boolean => cells[cell] === WALL;
export const isGoal = ({ cells }: Room, cell: number): boolean => cells[cell] === GOAL;
export const boxesOnGoals = ({ room, boxes }: Level): number => boxes.filter((box) => isGoal(room, box)).length;

/** Goals may be more than boxes: what counts is that no box is left over. */
export const isSolved = (level: Level): boolean => level.boxes.every((box) => isGoal(level.room, box));

/** [cells] in XSB characters. */
export function characters({ room, player, boxes }: Level): readonly string[] {
  const board = Array.from(room.cells);
  for (const box of boxes) board[box] = isGoal(room, box) ? "*" : "$";
  board[player] = isGoal(room, player) ? "+" : "@";
  return board;
}

export function rowsOf(level: Level): readonly string[] {
  const text = characters(level).join("");
  const { width } = level.room;
  return Array.from({ length: text.length / width }, (_, row) => text.slice(row * width, (row + 1) * width));
}

/** Equal for equal levels, and for no others. */
export const boardText = (level: Level): string => rowsOf(level).join("|");
