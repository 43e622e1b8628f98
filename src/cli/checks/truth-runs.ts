import { createRng } from "#core/rng.ts";
import type { Task } from "#core/environment.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { playAll, type Arena } from "#trainer/arena.ts";
import { measureTruth, type MemberTruth, type TruthForm, type TruthGroup } from "#trainer/truth.ts";

export interface TruthRun {
  /** [members] */
  readonly members: readonly { readonly success: boolean; readonly truth: MemberTruth }[];
  /** Of one core: what other programs took of it meanwhile is left out. */
  readonly seconds: number;
}

const nothing = (): Promise<void> => Promise.resolve();

/** The truth about groups of training tasks, one at a time, with how long each took; failed rollouts are left out. */
export async function* truthRuns<T extends Task, S>(arena: Arena<T, S>, policy: EnginePolicy, form: TruthForm, groups: number, size: number, seed: number): AsyncGenerator<TruthRun, void> {
  const rng = createRng(seed).fork("truth-check");
  for (const [index, task] of arena.tasks("train", groups, rng.fork("tasks")).entries()) {
    const stream = rng.fork(`group/${index}`);
    const specs = Array.from({ length: size }, (_, member) => arena.spec(task, String(index), stream.fork(`member/${member}`), 0));
    const judged = await playAll(arena, specs, policy, { greedy: false });
    const group: TruthGroup<T> = { task, members: judged.map(({ trajectory, verdict, wording }) => ({ trajectory, success: verdict.success, wording })) };
    const [since, used] = [performance.now(), process.cpuUsage()];
    const [measured = []] = await measureTruth(arena, policy, [group], { ...form, given: "history", rng: stream.fork("truth"), gate: nothing });
    const { user, system } = process.cpuUsage(used);
    const seconds = Math.min((performance.now() - since) / 1e3, (user + system) / 1e6);
    yield { members: measured.flatMap((truth, member) => (truth ? [{ success: group.members[member]?.success ?? false, truth }] : [])), seconds };
  }
}
