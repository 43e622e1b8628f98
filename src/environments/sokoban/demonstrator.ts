import type { Rng } from "#core/chance.ts";
import { choose } from "#core/rng.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import { boardText, DIRECTIONS, LETTERS, type Direction, type Level } from "./board.ts";
import { distancesIn } from "./distances.ts";
import { move } from "./rules.ts";
import { solve } from "./solver.ts";

export const moveAction = (direction: Direction): Action => ({ kind: "tool", name: direction, args: {} });

const BY_LETTER: ReadonlyMap<string, Direction> = new Map(DIRECTIONS.map((direction) => [LETTERS[direction], direction]));

/** Of a search during an episode. */
const MOST_STATES = 100_000;

/** The moves that are as good as any from a position; none where the search knows no way. */
type Advice = (level: Level) => readonly Direction[];

/** Follows the solution with the fewest pushes, and looks for another where it was left. */
function planner(): Advice {
  let expected = "";
  let moves: readonly Direction[] = [];
  return (level) => {
    if (boardText(level) !== expected) {
      const solution = solve(level, MOST_STATES);
      moves = solution.kind === "solved" ? Array.from(solution.moves, (letter) => BY_LETTER.get(letter.toLowerCase()) ?? "left") : [];
    }
    const [next, ...rest] = moves;
    if (next === undefined) return [];
    moves = rest;
    expected = boardText(move(level, next).level);
    return [next];
  };
}

/** In small rooms by the fewest moves, in others by the fewest pushes. */
function adviser(start: Level): Advice {
  const distances = distancesIn(start);
  return distances ? (level) => distances.nearer(level) : planner();
}

/** At which some four of five demonstrations succeed within 15 moves of a 4 × 4 room, and every third move is any of the four. */
export const DEMONSTRATION_SKILL = 0.65;

/** At skill 1 the shortest way; below it each move is any of the four with probability 1 − skill, and so is every move once all is lost. */
export function demonstrate({ level }: { readonly level: Level }, rng: Rng, skill: number): (state: Level, last?: Observation) => Action {
  let advice: Advice | undefined;
  return (state) => {
    const errs = rng.next() >= skill;
    advice ??= adviser(level);
    const good = errs ? [] : advice(state);
    return moveAction(choose(rng, good.length > 0 ? good : DIRECTIONS));
  };
}
