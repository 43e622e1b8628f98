import { LETTERS, DIRECTIONS, type Level } from "./board.ts";
import { endsHope, NEVER, occupiedBy, roomMap, type RoomMap } from "./deadlock.ts";

export type Solution =
  | {
      readonly kind: "solved";
      /** The fewest there are. */
      readonly pushes: number;
      /** One letter a move, capitals for pushes; between pushes the shortest walks. Other solutions may have fewer moves. */
      readonly moves: string;
      readonly states: number;
    }
  /** Proved: all that can be reached was looked at. */
  | { readonly kind: "unsolvable"; readonly states: number }
  /** The search was ended; nothing is known. */
  | { readonly kind: "budget"; readonly states: number };

/** Distinct states (boxes and the player's region) that a search may find before it gives up. */
const DEFAULT_STATES = 200_000;

/** Where the player can walk to among boxes. */
class Walk {
  readonly #map: RoomMap;
  readonly #seen: Uint32Array;
  readonly #queue: Uint16Array;
  #mark = 0;
  /** The smallest cell of the region last spread over: what names it. */
  lowest = 0;

  constructor(map: RoomMap) {
    this.#map = map;
    this.#seen = new Uint32Array(map.size);
    this.#queue = new Uint16Array(map.size);
  }

  spread(player: number, occupied: Uint8Array): void {
    const { floor, steps } = this.#map;
    this.#mark += 1;
    this.#seen[player] = this.#mark;
    this.#queue[0] = player;
    this.lowest = player;
    let length = 1;
    for (let at = 0; at < length; at += 1) {
      const cell = this.#queue[at] as number;
      if (cell < this.lowest) this.lowest = cell;
      for (let direction = 0; direction < 4; direction += 1) {
        const side = cell + (steps[direction] as number);
        if (floor[side] !== 1 || occupied[side] !== 0 || this.#seen[side] === this.#mark) continue;
        this.#seen[side] = this.#mark;
        this.#queue[length] = side;
        length += 1;
      }
    }
  }

  reaches(cell: number): boolean {
    return this.#seen[cell] === this.#mark;
  }
}

/** A state and how it was come to: flat arrays, so that a long search makes no garbage. */
class States {
  readonly #boxes: number;
  readonly keys = new Map<string, number>();
  cells = new Uint16Array(1024);
  readonly player: number[] = [];
  readonly parent: number[] = [];
  /** direction + 4 · the box's cell before the push; -1 at the start. */
  readonly push: number[] = [];
  readonly cost: number[] = [];
  readonly done: boolean[] = [];

  constructor(boxes: number) {
    this.#boxes = boxes;
  }

  get count(): number {
    return this.player.length;
  }

  add(key: string, boxes: Uint16Array, player: number, parent: number, push: number, cost: number): number {
    const state = this.count;
    const end = (state + 1) * this.#boxes;
    if (end > this.cells.length) {
      const larger = new Uint16Array(Math.max(end, 2 * this.cells.length));
      larger.set(this.cells);
      this.cells = larger;
    }
    this.cells.set(boxes, state * this.#boxes);
    this.keys.set(key, state);
    this.player.push(player);
    this.parent.push(parent);
    this.push.push(push);
    this.cost.push(cost);
    this.done.push(false);
    return state;
  }

  /** A cheaper way to a known state; the player stands elsewhere in the same region. */
  improve(state: number, player: number, parent: number, push: number, cost: number): void {
    this.player[state] = player;
    this.parent[state] = parent;
    this.push[state] = push;
    this.cost[state] = cost;
  }
}

/** Moves a box within a rising list, which stays one. */
function withBoxMoved(boxes: Uint16Array, index: number, to: number, into: Uint16Array): void {
  into.set(boxes);
  let at = index;
  while (at > 0 && (into[at - 1] as number) > to) {
    into[at] = into[at - 1] as number;
    at -= 1;
  }
  while (at < into.length - 1 && (into[at + 1] as number) < to) {
    into[at] = into[at + 1] as number;
    at += 1;
  }
  into[at] = to;
}

const keyOf = (boxes: Uint16Array, region: number): string => String.fromCharCode(region, ...boxes);

/**
 * The fewest pushes that solve a level, by A* over (boxes, player's region). The bound is the sum over boxes of the fewest pushes that a
 * lone box needs to a goal: a push lowers it by at most one, so the first solution taken off the queue has the fewest. Dead squares and
 * frozen boxes are left out, nothing else is. The same level gives the same moves everywhere.
 */
export function solve(level: Level, mostStates = DEFAULT_STATES): Solution {
  const map = roomMap(level.room);
  const count = level.boxes.length;
  const walk = new Walk(map);
  const states = new States(count);
  const occupied = occupiedBy(map, level.boxes);
  const boundOf = (boxes: Uint16Array): number => {
    let sum = 0;
    for (let index = 0; index < count; index += 1) {
      const pushes = map.pushes[boxes[index] as number] as number;
      if (pushes === NEVER) return -1;
      sum += pushes;
    }
    return sum;
  };
  const start = Uint16Array.from(level.boxes);
  const bound = boundOf(start);
  if (bound < 0) return { kind: "unsolvable", states: 1 };
  walk.spread(level.player, occupied);
  /** By cost + bound; those found last come first, as they are nearest to the end. */
  const queues: number[][] = [];
  const enqueue = (state: number, at: number): void => void (queues[at] ??= []).push(state);
  enqueue(states.add(keyOf(start, walk.lowest), start, level.player, -1, -1, 0), bound);
  occupied.fill(0);

  const next = new Uint16Array(count);
  for (let total = bound; total < queues.length; total += 1) {
    const queue = queues[total];
    for (let state = queue?.pop(); state !== undefined; state = queue?.pop()) {
      if (states.done[state]) continue;
      states.done[state] = true;
      const cost = states.cost[state] as number;
      // A copy: the array grows while children are added.
      const boxes = states.cells.slice(state * count, (state + 1) * count);
      const rest = boundOf(boxes);
      if (rest === 0) return { kind: "solved", pushes: cost, moves: movesTo(level, map, states, state, count), states: states.count };
      for (const box of boxes) occupied[box] = 1;
      walk.spread(states.player[state] as number, occupied);
      // Which pushes are possible is settled first: each child spreads anew.
      const possible: number[] = [];
      for (let index = 0; index < count; index += 1) {
        const box = boxes[index] as number;
        for (let direction = 0; direction < 4; direction += 1) {
          const step = map.steps[direction] as number;
          const to = box + step;
          if (walk.reaches(box - step) && map.pushes[to] !== NEVER && map.floor[to] === 1 && occupied[to] === 0) possible.push(index * 4 + direction);
        }
      }
      for (const push of possible) {
        const [index, direction] = [push >> 2, push & 3];
        const box = boxes[index] as number;
        const to = box + (map.steps[direction] as number);
        occupied[box] = 0;
        occupied[to] = 1;
        if (!endsHope(map, occupied, to)) {
          withBoxMoved(boxes, index, to, next);
          walk.spread(box, occupied);
          const key = keyOf(next, walk.lowest);
          const at = cost + 1 + rest - (map.pushes[box] as number) + (map.pushes[to] as number);
          const found = states.keys.get(key);
          if (found === undefined) enqueue(states.add(key, next, box, state, direction + 4 * box, cost + 1), at);
          else if (states.done[found] !== true && (states.cost[found] as number) > cost + 1) {
            states.improve(found, box, state, direction + 4 * box, cost + 1);
            enqueue(found, at);
          }
        }
        occupied[to] = 0;
        occupied[box] = 1;
      }
      for (const box of boxes) occupied[box] = 0;
      if (states.count > mostStates) return { kind: "budget", states: states.count };
    }
  }
  return { kind: "unsolvable", states: states.count };
}

/** The pushes that lead to a state, with the walks between them. */
function movesTo(level: Level, map: RoomMap, states: States, end: number, count: number): string {
  const chain: number[] = [];
  for (let state = end; (states.parent[state] ?? -1) >= 0; state = states.parent[state] as number) chain.unshift(state);
  let [player, moves] = [level.player, ""];
  const occupied = occupiedBy(map, level.boxes);
  for (const state of chain) {
    const push = states.push[state] as number;
    const [direction, box] = [push & 3, push >> 2];
    const step = map.steps[direction] as number;
    moves += walkBetween(map, occupied, player, box - step) + LETTERS[DIRECTIONS[direction] ?? "left"].toUpperCase();
    occupied.fill(0);
    for (const cell of states.cells.subarray(state * count, (state + 1) * count)) occupied[cell] = 1;
    player = box;
  }
  return moves;
}

/** A shortest walk; of equals the one whose letters come first in l, u, r, d from its end. */
function walkBetween(map: RoomMap, occupied: Uint8Array, from: number, to: number): string {
  const cameBy = new Int8Array(map.size).fill(-1);
  const queue = [from];
  for (const cell of queue) {
    if (cell === to) break;
    for (const [direction, step] of map.steps.entries()) {
      const side = cell + step;
      if (side === from || map.floor[side] !== 1 || occupied[side] !== 0 || cameBy[side] !== -1) continue;
      cameBy[side] = direction;
      queue.push(side);
    }
  }
  let walk = "";
  for (let cell = to; cell !== from;) {
    const direction = cameBy[cell] as number;
    if (direction < 0) throw new RangeError("there is no walk between these cells");
    walk = LETTERS[DIRECTIONS[direction] ?? "left"] + walk;
    cell -= map.steps[direction] as number;
  }
  return walk;
}
