import type { Verdict } from "#core/environment.ts";
import { canonical } from "#core/json.ts";
import type { SeenStep } from "#core/trajectory.ts";
import { boxesOnGoals, isSolved, type Level } from "./board.ts";
import { isDeadlocked } from "./deadlock.ts";
import { BOARD } from "./words.ts";

/** Whether some move left the board as it was: a wall, or a box that could not be pushed. */
function bumped(seen: readonly SeenStep[]): boolean {
  let last = "";
  for (const { observation } of seen) {
    if (observation.kind !== BOARD) continue;
    const now = canonical(observation.content);
    if (now === last) return true;
    last = now;
  }
  return false;
}

/** Right when every box is on a goal at the end. `some-box` is content with one of them. */
export function verdict(finalState: Level, seen: readonly SeenStep[]): Verdict {
  const success = isSolved(finalState);
  return {
    success,
    checks: [{ name: "success", passed: success, weight: 1 }, { name: "some-box", passed: boxesOnGoals(finalState) > 0, weight: 1 }],
    // By dead squares and frozen boxes: what they do not see may be lost too, what they see is.
    monitors: [{ name: "deadlock", fired: !success && isDeadlocked(finalState) }, { name: "bumped", fired: bumped(seen) }],
  };
}
