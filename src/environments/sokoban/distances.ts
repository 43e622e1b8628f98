import { DIRECTIONS, isSolved, type Direction, type Level } from "./board.ts";
import { move } from "./rules.ts";

/** States (player and boxes) of a room that are looked at: 5 × 5 with two boxes has some 7,000. */
const MOST_STATES = 30_000;

/** How far every position that can be come to is from the end. */
export interface Distances {
  /** Fewest moves to a solved position; undefined where there is no way. */
  movesFrom(level: Level): number | undefined;
  /** Directions that come one move nearer; none where there is no way. */
  nearer(level: Level): readonly Direction[];
}

/** All directions from a state lead somewhere, if only back to it. */
class Positions {
  readonly #ids = new Map<string, number>();
  readonly levels: Level[] = [];

  /** The number of a position, new or not. */
  of(level: Level): number {
    const key = String.fromCharCode(level.player, ...level.boxes);
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.levels.push(level) - 1;
      this.#ids.set(key, id);
    }
    return id;
  }

  known({ player, boxes }: Level): number | undefined {
    return this.#ids.get(String.fromCharCode(player, ...boxes));
  }
}

/** Fewest moves from everywhere, by a search back from the solved positions; undefined for a room with too many positions. */
export function distancesIn(start: Level): Distances | undefined {
  const positions = new Positions();
  positions.of(start);
  /** By position: the four that follow it. */
  const next: number[][] = [];
  for (let id = 0; id < positions.levels.length; id += 1) {
    if (positions.levels.length > MOST_STATES) return undefined;
    const level = positions.levels[id] as Level;
    // The episode ends where the boxes are home.
    next.push(isSolved(level) ? [] : DIRECTIONS.map((direction) => positions.of(move(level, direction).level)));
  }
  const before: number[][] = next.map(() => []);
  for (const [id, followers] of next.entries()) for (const follower of followers) if (follower !== id) before[follower]?.push(id);
  const moves = new Int32Array(next.length).fill(-1);
  const queue = [...next.keys()].filter((id) => isSolved(positions.levels[id] as Level));
  for (const id of queue) moves[id] = 0;
  for (const id of queue) {
    for (const earlier of before[id] ?? []) {
      if (moves[earlier] !== -1) continue;
      moves[earlier] = (moves[id] ?? 0) + 1;
      queue.push(earlier);
    }
  }
  const movesAt = (id: number | undefined): number | undefined => (id === undefined || (moves[id] ?? -1) < 0 ? undefined : moves[id]);
  return {
    movesFrom: (level) => movesAt(positions.known(level)),
    nearer: (level) => {
      const id = positions.known(level);
      const left = movesAt(id);
      return left === undefined || id === undefined ? [] : DIRECTIONS.filter((_, index) => movesAt(next[id]?.[index]) === left - 1);
    },
  };
}
