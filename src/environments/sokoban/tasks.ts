import type { Rng } from "#core/chance.ts";
import type { Split, Task } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import { hashText } from "#core/json.ts";
import { boardText, type Level } from "./board.ts";
import { wallCounts, type SokobanConfig } from "./config.ts";
import { generateRoom, innerWalls } from "./generator.ts";
import { symmetricText } from "./symmetry.ts";

export interface SokobanTask extends Task {
  readonly level: Level;
}

/** A tenth of the hashes, by their leading bits: whether a hash is even says whether a board's number of walls is. */
const HELD_OUT = 0x100000000 / 10;

/** Where a level belongs, turns and mirrors of it as well: a tenth of them is held out, crowded ones are apart. */
export function splitOf(level: Level, config: SokobanConfig): Split {
  if (innerWalls(level.room) > Math.max(...wallCounts(config, false))) return "shifted";
  return hashText(symmetricText(level)) < HELD_OUT ? "heldout" : "train";
}

export const taskOf = (level: Level, split: Split): SokobanTask => ({ id: boardText(level), split, level });

/**
 * Rooms made on the spot. `train` and `heldout` have the same distribution, and no level of one is a turn or a mirror of a level of the
 * other; `shifted` has one or two walls more than any of them. Fewer tasks asked for are the first of more.
 */
export function tasks(config: SokobanConfig, split: Split, count: number, rng: Rng): readonly SokobanTask[] {
  const found = new Map<string, SokobanTask>();
  for (let index = 0; index < count; index += 1) {
    const wanted = (level: Level): boolean => !found.has(boardText(level)) && splitOf(level, config) === split;
    const room = generateRoom(rng.fork(`room/${index}`), config, split === "shifted", wanted);
    if (room.level === undefined) {
      const reasons = Object.entries(room.reasons).toSorted(([, a], [, b]) => b - a).map(([reason, times]) => `${reason}: ${times}`).join(", ");
      throw new TaskError(`asked for ${count} distinct ${split} levels, found ${index}; of ${room.attempts} more that were drawn none would do (${reasons})`, {
        asked: count, found: index, split,
      });
    }
    const task = taskOf(room.level, split);
    found.set(task.id, task);
  }
  return [...found.values()];
}
