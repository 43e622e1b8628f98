import type { Verdict } from "#core/environment.ts";
import type { Trajectory } from "#core/trajectory.ts";

interface Attempt {
  readonly trajectory: Trajectory;
  readonly verdict: Verdict;
}

const deadlocked = ({ verdict }: Attempt): boolean => verdict.monitors.some(({ name, fired }) => fired && name === "deadlock");
const turns = ({ trajectory }: Attempt): number => trajectory.turns.length;

/** Four attempts at one level: a short way, a long one, a box pushed where it can never come back from, and moves that ran out. */
export const STORY = [
  { name: "A", matches: (attempt: Attempt) => attempt.verdict.success && turns(attempt) <= 6 },
  { name: "B", matches: (attempt: Attempt) => attempt.verdict.success && turns(attempt) >= 9 },
  { name: "C", matches: (attempt: Attempt) => !attempt.verdict.success && deadlocked(attempt) },
  { name: "D", matches: (attempt: Attempt) => !attempt.verdict.success && !deadlocked(attempt) },
] as const;
