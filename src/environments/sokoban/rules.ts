import { isWall, stepOf, type Direction, type Level } from "./board.ts";

export interface Step {
  readonly level: Level;
  /** False where a wall, or a box that cannot be pushed, is in the way: then nothing changes. */
  readonly moved: boolean;
  readonly pushed: boolean;
}

/** One step of the player. A box in the way is pushed if the cell behind it is free; one box at a time, and none is ever pulled. */
export function move(level: Level, direction: Direction): Step {
  const { room, player, boxes } = level;
  const step = stepOf(room, direction);
  const to = player + step;
  if (isWall(room, to)) return { level, moved: false, pushed: false };
  if (!boxes.includes(to)) return { level: { room, player: to, boxes }, moved: true, pushed: false };
  const behind = to + step;
  if (isWall(room, behind) || boxes.includes(behind)) return { level, moved: false, pushed: false };
  const pushed = boxes.map((box) => (box === to ? behind : box)).toSorted((a, b) => a - b);
  return { level: { room, player: to, boxes: pushed }, moved: true, pushed: true };
}
