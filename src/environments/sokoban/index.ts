import type { Environment, World } from "#core/environment.ts";
import type { Json, Observation, SeenStep } from "#core/trajectory.ts";
import { BASELINES } from "./baselines.ts";
import { boardText, boxesOnGoals, rowsOf, type Level } from "./board.ts";
import type { SokobanConfig } from "./config.ts";
import { deadSquares, isDeadlocked } from "./deadlock.ts";
import { demonstrate } from "./demonstrator.ts";
import { boardObservation, levelOf } from "./observation.ts";
import { actionsOf, readPlays } from "./plays.ts";
import { splitOf, taskOf, tasks, type SokobanTask } from "./tasks.ts";
import { outcomes, TOOLS } from "./tools.ts";
import { verdict } from "./verdict.ts";
import { BOARD, WORDS } from "./words.ts";

export type Sokoban = Environment<SokobanConfig, SokobanTask, Level>;

/** All is seen, so there is one world: the last board. */
function worlds(config: SokobanConfig, first: Observation, seen: readonly SeenStep[]): { readonly worlds: readonly World<SokobanTask, Level>[]; readonly exhaustive: boolean } {
  const start = levelOf(first);
  const last = seen.findLast(({ observation }) => observation.kind === BOARD);
  return { worlds: [{ probability: 1, task: taskOf(start, splitOf(start, config)), state: last ? levelOf(last.observation) : start }], exhaustive: true };
}

const inspect = (level: Level): Json => ({
  board: rowsOf(level), boxes: level.boxes.length, home: boxesOnGoals(level), deadlocked: isDeadlocked(level), dead: deadSquares(level.room),
});

/** Boxes pushed onto goals, in rooms made on the spot. */
export const createSokoban = (): Sokoban => ({
  id: "sokoban",
  tools: TOOLS,
  words: WORDS,
  tasks,
  reset: ({ level }) => ({ state: level, observation: boardObservation(level) }),
  outcomes,
  worlds: (config, _task, first, seen) => worlds(config, first, seen),
  anchorKey: boardText,
  demonstrator: demonstrate,
  plays: (config) => readPlays(config.plays, config).map(({ level, moves }) => ({ task: taskOf(level, "train"), actions: actionsOf(moves) })),
  baselines: BASELINES,
  verdict: (_task, finalState, seen) => verdict(finalState, seen),
  inspect,
});
