import type { Rng } from "#core/chance.ts";
import type { TruthTurns } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import type { Arena, JudgedRollout } from "../arena.ts";
import type { Gate } from "../runtime.ts";
import { measureTruth, QUICK_TRUTH } from "../truth.ts";
import type { Metered } from "./meter.ts";

/** Of a rollout without turns: its start is its outcome. */
const untouched = ({ verdict }: JudgedRollout): TruthTurns => ({
  start: verdict.success ? 1 : 0, skill: new Float32Array(), luck: new Float32Array(), halfWidth: new Float32Array(),
});

/** [groups][G] truth given the history, in the form that a run can afford; undefined for a failed rollout. */
export async function quickTruth<T extends Task, S>(
  { arena, policy }: Metered<Arena<T, S>>, tasks: readonly T[], rollouts: readonly (readonly JudgedRollout<S>[])[], { rng, gate }: { readonly rng: Rng; readonly gate: Gate },
): Promise<readonly (readonly (TruthTurns | undefined)[])[]> {
  const groups = rollouts.map((members, group) => {
    const task = tasks[group];
    if (!task) throw new PolicyError(`group ${group} has no task`);
    return { task, members: members.map(({ trajectory, wording, verdict }) => ({ trajectory, wording, success: verdict.success })) };
  });
  const measured = await measureTruth(arena, policy, groups, { ...QUICK_TRUTH, given: "history", rng, gate });
  return rollouts.map((members, group) =>
    members.map((rollout, index) => (rollout.trajectory.ending === "failed" ? undefined : (measured[group]?.[index]?.turns ?? untouched(rollout)))));
}
