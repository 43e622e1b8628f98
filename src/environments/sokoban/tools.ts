import type { Outcome, ToolSchema } from "#core/environment.ts";
import type { Action, TurnEvent } from "#core/trajectory.ts";
import { boxesOnGoals, DIRECTIONS, isSolved, type Direction, type Level } from "./board.ts";
import { boardObservation } from "./observation.ts";
import { move } from "./rules.ts";
import { NOT_UNDERSTOOD } from "./words.ts";

/** One tool a direction, in the order of l, u, r, d: a move is one token. */
export const TOOLS: readonly ToolSchema[] = DIRECTIONS.map((direction) => ({
  name: direction,
  description: `Step ${direction}; a box in the way is pushed if there is room behind it`,
  parameters: { type: "object", properties: {}, required: [] },
  mutates: true,
}));

/**
 * The classic table (gym-sokoban, reward of the environment): every action costs 0.1, one that changes nothing too; a box that comes
 * onto a goal is worth 1, one that leaves a goal costs 1, the last box home is worth 10 more. A push from one goal to the next changes
 * neither. So the winning push of one box pays -0.1 + 1 + 10 = 10.9, and a level solved in n moves 10 + boxes - 0.1·n in all, less the
 * boxes that were home from the start; running out of moves pays nothing and takes nothing.
 */
const EVENTS = { step: -0.1, "box-on-goal": 1, "box-off-goal": -1, solved: 10 } as const;
const event = (id: keyof typeof EVENTS): TurnEvent => ({ id, weight: EVENTS[id] });

function eventsOf(before: Level, after: Level): readonly TurnEvent[] {
  const gained = boxesOnGoals(after) - boxesOnGoals(before);
  return [
    event("step"),
    ...(gained > 0 ? [event("box-on-goal")] : gained < 0 ? [event("box-off-goal")] : []),
    ...(isSolved(after) && !isSolved(before) ? [event("solved")] : []),
  ];
}

const directionOf = (action: Action): Direction | undefined =>
  action.kind === "tool" ? DIRECTIONS.find((direction) => direction === action.name) : undefined;

/** There is no chance in it. The episode ends when all boxes are home; mistakes are answered and cost a step. */
export function outcomes(state: Level, action: Action): readonly Outcome<Level>[] {
  const direction = directionOf(action);
  if (direction === undefined) {
    return [{ probability: 1, state, observation: { kind: "error", content: { reason: NOT_UNDERSTOOD } }, terminated: false, events: [event("step")] }];
  }
  const { level } = move(state, direction);
  return [{ probability: 1, state: level, observation: boardObservation(level), terminated: isSolved(level), events: eventsOf(state, level) }];
}
