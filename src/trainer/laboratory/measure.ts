import type { Rng } from "#core/chance.ts";
import type { TruthTurns } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import type { GroupTruth } from "#run/assessment.ts";
import type { Arena } from "../arena.ts";
import { metered, type Cost } from "../provide/meter.ts";
import type { Gate } from "../runtime.ts";
import { measureTruth, type MemberTruth, type TruthForm } from "../truth.ts";
import type { SampledGroup } from "./batches.ts";

export interface TruthRequest {
  readonly given: GroupTruth["given"];
  readonly form: GroupTruth["form"];
  /** What `form` stands for. */
  readonly settings: TruthForm;
  readonly rng: Rng;
  readonly gate: Gate;
}

export interface MeasuredTruth {
  readonly truth: GroupTruth;
  /** [G], undefined for a failed rollout. */
  readonly turns: readonly (TruthTurns | undefined)[];
  readonly cost: Cost;
}

function memberRecord({ turns: { start, skill, luck }, labels, startHalfWidth }: MemberTruth): NonNullable<GroupTruth["members"][number]> {
  return { start, startHalfWidth, turns: labels.map((label, turn) => ({ skill: skill[turn] ?? 0, luck: luck[turn] ?? 0, ...label })) };
}

/** @param policy with the weights that sampled the group. @throws what the gate throws */
export async function groupTruth<T extends Task, S>(
  arena: Arena<T, S>, policy: Pick<PolicyBackend, "nextLogprobs" | "sample">, { task, judged }: Pick<SampledGroup<T, S>, "task" | "judged">, { given, form, settings, rng, gate }: TruthRequest,
): Promise<MeasuredTruth> {
  const meter = metered(arena, policy);
  const members = judged.map(({ trajectory, verdict, wording }) => ({ trajectory, success: verdict.success, wording }));
  const [measured = []] = await measureTruth(meter.arena, meter.policy, [{ task, members }], { ...settings, given, rng, gate });
  return {
    truth: { given, form, members: measured.map((member) => (member ? memberRecord(member) : null)) },
    turns: measured.map((member) => member?.turns),
    cost: meter.spent(),
  };
}
