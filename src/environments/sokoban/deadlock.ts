import { isGoal, isWall, stepsOf, type Level, type Room } from "./board.ts";

/** Pushes from a cell that no box can leave for a goal. */
export const NEVER = 0xffff;

/** What the walls alone say about a room. */
export interface RoomMap {
  readonly room: Room;
  readonly size: number;
  /** By direction: the change of index. */
  readonly steps: readonly number[];
  /** [cells] 1 where there is floor. */
  readonly floor: Uint8Array;
  readonly goal: Uint8Array;
  /** [cells] fewest pushes that bring a lone box from there to a goal, wherever the player is; NEVER on dead squares and walls. */
  readonly pushes: Uint16Array;
}

const known = new WeakMap<Room, RoomMap>();

/** Pulls a lone box from every goal wherever it can be pulled: what is never reached is a dead square. Linear in the cells. */
function mapOf(room: Room): RoomMap {
  const size = room.cells.length;
  const steps = stepsOf(room);
  const floor = Uint8Array.from({ length: size }, (_, cell) => (isWall(room, cell) ? 0 : 1));
  const goal = Uint8Array.from({ length: size }, (_, cell) => (isGoal(room, cell) ? 1 : 0));
  const pushes = new Uint16Array(size).fill(NEVER);
  const queue: number[] = [];
  for (let cell = 0; cell < size; cell += 1) {
    if (goal[cell] !== 1) continue;
    pushes[cell] = 0;
    queue.push(cell);
  }
  for (const cell of queue) {
    for (const step of steps) {
      const from = cell - step;
      if (floor[from] !== 1 || floor[from - step] !== 1 || pushes[from] !== NEVER) continue;
      pushes[from] = (pushes[cell] ?? 0) + 1;
      queue.push(from);
    }
  }
  return { room, size, steps, floor, goal, pushes };
}

/** Worked out once a room. */
export function roomMap(room: Room): RoomMap {
  let map = known.get(room);
  if (!map) {
    map = mapOf(room);
    known.set(room, map);
  }
  return map;
}

/** Floor from which a box can never be pushed to a goal. */
export const deadSquares = (room: Room): readonly number[] => {
  const { floor, pushes } = roomMap(room);
  return [...floor.keys()].filter((cell) => floor[cell] === 1 && pushes[cell] === NEVER);
};

/**
 * Whether a box is stuck for good because both of its axes are blocked: by a wall on either side, by dead squares on both, or by a box
 * that is itself stuck. Boxes being asked about count as walls, so that two that wait for each other are stuck. The 2 × 2 block is a case of it.
 * @param occupied [cells] 1 where a box stands; changed meanwhile, and changed back.
 */
function isFrozen({ floor, pushes, steps }: RoomMap, occupied: Uint8Array, box: number): boolean {
  const stuck = (cell: number): boolean => {
    occupied[cell] = 2;
    const frozen = axisBlocked(cell, steps[0] ?? 0) && axisBlocked(cell, steps[1] ?? 0);
    occupied[cell] = 1;
    return frozen;
  };
  const axisBlocked = (cell: number, step: number): boolean => {
    const [before, after] = [cell - step, cell + step];
    const solid = (side: number): boolean => floor[side] !== 1 || occupied[side] === 2;
    if (solid(before) || solid(after)) return true;
    if (pushes[before] === NEVER && pushes[after] === NEVER) return true;
    return (occupied[before] === 1 && stuck(before)) || (occupied[after] === 1 && stuck(after));
  };
  return stuck(box);
}

/** The boxes that are stuck together with one that was just pushed: off goal, any of them ends all hope. */
export function endsHope(map: RoomMap, occupied: Uint8Array, box: number): boolean {
  if (map.pushes[box] === NEVER) return true;
  if (!isFrozen(map, occupied, box)) return false;
  if (map.goal[box] !== 1) return true;
  for (const step of map.steps) {
    const side = box + step;
    if (occupied[side] === 1 && map.goal[side] !== 1 && isFrozen(map, occupied, side)) return true;
  }
  return false;
}

export function occupiedBy(map: RoomMap, boxes: readonly number[]): Uint8Array {
  const occupied = new Uint8Array(map.size);
  for (const box of boxes) occupied[box] = 1;
  return occupied;
}

/** A box that stands on a dead square, or is stuck off its goal: the level is lost. The other way round nothing is claimed. */
export function isDeadlocked({ room, boxes }: Level): boolean {
  const map = roomMap(room);
  const occupied = occupiedBy(map, boxes);
  return boxes.some((box) => map.goal[box] !== 1 && (map.pushes[box] === NEVER || isFrozen(map, occupied, box)));
}
