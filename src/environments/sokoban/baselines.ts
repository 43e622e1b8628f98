import type { Rng } from "#core/chance.ts";
import type { ScriptedAgent } from "#core/environment.ts";
import { choose } from "#core/rng.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import { DIRECTIONS, isSolved, type Direction, type Level } from "./board.ts";
import { roomMap } from "./deadlock.ts";
import { demonstrate, moveAction } from "./demonstrator.ts";
import { levelOf } from "./observation.ts";
import { move } from "./rules.ts";
import { BOARD } from "./words.ts";

/** Acts on the last board that was seen: refusals show none. */
function onBoards(begin: (start: Level, rng: Rng) => (level: Level) => Action): ScriptedAgent {
  return (rng) => {
    let level: Level | undefined;
    let act: ((level: Level) => Action) | undefined;
    return (last: Observation): Action => {
      if (last.kind === BOARD) level = levelOf(last);
      if (level === undefined) return moveAction("left");
      act ??= begin(level, rng);
      return act(level);
    };
  };
}

/** The demonstrator, which needs the level alone. */
const skilled = (skill: number): ScriptedAgent => onBoards((start, rng) => {
  const act = demonstrate({ level: start }, rng, skill);
  return (level) => act(level);
});

/** Pushes that lone boxes would need to goals, over all boxes. */
const hope = ({ room, boxes }: Level): number => boxes.reduce((sum, box) => sum + (roomMap(room).pushes[box] ?? 0), 0);

/** Takes a push that brings a box nearer to a goal where there is one, and wanders otherwise; pushes nothing away from goals. */
function nearest(level: Level, rng: Rng): Direction {
  const next = DIRECTIONS.map((direction) => ({ direction, ...move(level, direction) }));
  const better = next.find(({ level: after, pushed }) => pushed && (isSolved(after) || hope(after) < hope(level)));
  if (better) return better.direction;
  const harmless = next.filter(({ level: after, moved, pushed }) => moved && (!pushed || hope(after) <= hope(level)));
  return harmless.length > 0 ? choose(rng, harmless).direction : choose(rng, DIRECTIONS);
}

export const BASELINES = {
  /** The classic action 0, which there is no tool for. */
  doNothing: () => () => ({ kind: "tool", name: "none", args: {} }),
  /** Every move is equally likely. */
  random: (rng) => () => moveAction(choose(rng, DIRECTIONS)),
  greedy: onBoards((_start, rng) => (level) => moveAction(nearest(level, rng))),
  oracle: skilled(1),
  /** In the manner of a prompted language model: knows the rules, and sees the way at every third move. */
  prompted: skilled(0.35),
} as const satisfies Record<string, ScriptedAgent>;
