import type { Rng } from "#core/chance.ts";
import { choose, drawIndex, shuffled } from "#core/rng.ts";
import { FLOOR, GOAL, isSolved, WALL, type Level, type Room } from "./board.ts";
import { wallCounts, type SokobanConfig } from "./config.ts";
import { roomMap } from "./deadlock.ts";
import { distancesIn } from "./distances.ts";
import { solve } from "./solver.ts";

/** Rooms that are drawn before the generator says that there is none. */
const ATTEMPTS = 1000;
/** Of one certifying search, and of all for a room: some seconds. */
const MOST_STATES = 60_000;
const MOST_STATES_IN_ALL = 600_000;

export interface GeneratedRoom {
  readonly level: Level;
  /** The fewest there are: proved by an exhaustive search. */
  readonly pushes: number;
  /** Of the known solution; see `maxMoves` of the configuration. */
  readonly moves: number;
  readonly attempts: number;
}

/** Why drawn rooms were not good enough, with how many. */
export interface GeneratorFailure {
  readonly level: undefined;
  readonly attempts: number;
  readonly reasons: Readonly<Record<string, number>>;
}

type Drawn = { readonly level: Level } | { readonly reason: string };
type Certified = { readonly states: number } & ({ readonly pushes: number; readonly moves: number } | { readonly reason: string });

/** Interior walls of a room that the generator could have made. */
export function innerWalls({ width, cells }: Room): number {
  const ring = 2 * width + 2 * (cells.length / width) - 4;
  return Array.from(cells).filter((cell) => cell === WALL).length - ring;
}

/** Everything that can be walked to from a cell, boxes being in the way. */
function region(room: Room, from: number, boxes: readonly number[]): readonly number[] {
  const { floor, steps } = roomMap(room);
  const found = new Set([from]);
  for (const cell of found) for (const step of steps) if (floor[cell + step] === 1 && !boxes.includes(cell + step)) found.add(cell + step);
  return [...found];
}

/** The room's own walls and goals; undefined where the walls cut it in two. */
function drawRoom(rng: Rng, { size, boxes }: SokobanConfig, walls: number): Room | undefined {
  const width = size + 2;
  const inner = Array.from({ length: size * size }, (_, index) => (1 + Math.floor(index / size)) * width + 1 + (index % size));
  const order = shuffled(rng, inner);
  const cells = Array.from({ length: width * width }, () => WALL);
  for (const cell of order.slice(walls)) cells[cell] = FLOOR;
  const open = order.slice(walls);
  const [first] = open;
  if (first === undefined || region({ width, cells: cells.join("") }, first, []).length < open.length) return undefined;
  for (const cell of shuffled(rng, open).slice(0, boxes)) cells[cell] = GOAL;
  return { width, cells: cells.join("") };
}

/** Where the boxes and the player are after pulling at random for a while, from the solved room back. */
function playBack(rng: Rng, room: Room, pulls: number): Level {
  const { floor, steps, goal } = roomMap(room);
  let boxes = [...goal.keys()].filter((cell) => goal[cell] === 1);
  let player = choose(rng, [...floor.keys()].filter((cell) => floor[cell] === 1 && goal[cell] !== 1));
  for (let pull = 0; pull < pulls; pull += 1) {
    const reach = new Set(region(room, player, boxes));
    const possible = boxes.flatMap((box) => steps.flatMap((step) =>
      reach.has(box + step) && floor[box + 2 * step] === 1 && !boxes.includes(box + 2 * step) ? [{ box, step }] : []));
    if (possible.length === 0) break;
    const { box, step } = choose(rng, possible);
    boxes = boxes.map((other) => (other === box ? box + step : other)).toSorted((a, b) => a - b);
    player = box + 2 * step;
  }
  return { room, player: choose(rng, region(room, player, boxes).toSorted((a, b) => a - b)), boxes };
}

function draw(rng: Rng, config: SokobanConfig, shifted: boolean): Drawn {
  const room = drawRoom(rng, config, choose(rng, wallCounts(config, shifted)));
  if (room === undefined) return { reason: "walls cut it in two" };
  // Pulls wander: so many are needed that the pushes it takes are spread over what was asked for.
  const pulls = config.minPushes + drawIndex(rng, 4 * config.maxPushes);
  const level = playBack(rng, room, pulls);
  return isSolved(level) ? { reason: "boxes were home again" } : { level };
}

/** How many pushes it takes at least, and the moves of the known solution. */
function certify(level: Level, { minPushes, maxPushes, maxMoves }: SokobanConfig): Certified {
  const solution = solve(level, MOST_STATES);
  const { states } = solution;
  if (solution.kind === "budget") return { states, reason: "the search was too long" };
  // Played back from the solved room, it can be solved; said all the same, so that a fault would be seen.
  if (solution.kind === "unsolvable") return { states, reason: "not solvable" };
  const { pushes } = solution;
  if (pushes < minPushes || pushes > maxPushes) return { states, reason: pushes < minPushes ? "too few pushes" : "too many pushes" };
  const moves = solution.moves.length <= maxMoves ? solution.moves.length : fewestMoves(level) ?? solution.moves.length;
  return moves > maxMoves ? { states, reason: "too many moves" } : { states, pushes, moves };
}

const fewestMoves = (level: Level): number | undefined => distancesIn(level)?.movesFrom(level);

/**
 * A room by reverse play, certified by an exact search. The same generator state gives the same room everywhere. A room that is cut in
 * two, too easy, too hard or not wanted is drawn again, within a budget of rooms and of search: then the reasons come back instead.
 * @param wanted further conditions.
 */
export function generateRoom(rng: Rng, config: SokobanConfig, shifted = false, wanted: (level: Level) => boolean = () => true): GeneratedRoom | GeneratorFailure {
  const reasons: Record<string, number> = {};
  const refuse = (reason: string): void => {
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  };
  let [attempts, states] = [0, 0];
  while (attempts < ATTEMPTS && states < MOST_STATES_IN_ALL) {
    attempts += 1;
    const drawn = draw(rng.fork(`attempt/${attempts}`), config, shifted);
    if ("reason" in drawn) refuse(drawn.reason);
    else if (!wanted(drawn.level)) refuse("not wanted here");
    else {
      const certified = certify(drawn.level, config);
      if (!("reason" in certified)) return { level: drawn.level, pushes: certified.pushes, moves: certified.moves, attempts };
      states += certified.states;
      refuse(certified.reason);
    }
  }
  return { level: undefined, attempts, reasons };
}
