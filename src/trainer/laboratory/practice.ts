import type { Rng } from "#core/chance.ts";
import type { ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { setPath, type RunConfig } from "#run/run-config.ts";
import type { Arena, JudgedRollout } from "../arena.ts";
import { rollOut } from "../roll-out.ts";
import type { Gate } from "../runtime.ts";
import { played } from "../scorer/labels.ts";
import { NO_NETWORKS } from "../scorer/open.ts";
import { batchOf, groupOf, type SampledBatch, type SampledGroup } from "./batches.ts";
import type { Practice } from "./networks.ts";

/** Scored groups and the rollouts they are of, in order. */
export interface Rollouts<T, S> {
  /** [groups] */
  readonly tasks: readonly T[];
  readonly groups: readonly ScoredGroup[];
  /** [groups][G] */
  readonly rollouts: readonly (readonly JudgedRollout<S>[])[];
}

export function rolloutsOf<T, S>(sampled: readonly SampledGroup<T, S>[]): Rollouts<T, S> {
  return { tasks: sampled.map(({ task }) => task), groups: sampled.map(({ group }) => group), rollouts: sampled.map(({ judged }) => judged) };
}

export const groupsOf = <T, S>(batch: SampledBatch<T, S>): readonly SampledGroup<T, S>[] => batch.groups.flatMap((_, index) => groupOf(batch, index) ?? []);

/** Most groups that networks are fitted to. */
export const PRACTICE_GROUPS = 128;
/** With fewer from other updates, those of the same update join them. */
const LEAST_GROUPS = 32;

export interface PracticeSource<T extends Task, S> {
  readonly config: RunConfig;
  readonly arena: Arena<T, S>;
  /** Holds the weights that sampled the group. */
  readonly policy: EnginePolicy;
  readonly sampled: SampledGroup<T, S>;
  /** Newer ones first, without the group's own. */
  readonly others: readonly SampledBatch<T, S>[];
  /** Most groups. */
  readonly most: number;
  readonly rng: Rng;
  readonly gate: Gate;
}

/** So many groups on tasks of their own, credited as flat: no scheme's needs are met yet. */
export async function freshGroups<T extends Task, S>({ config, arena, policy, rng, gate }: Omit<PracticeSource<T, S>, "sampled" | "others" | "most">, groupsPerUpdate: number): Promise<SampledBatch<T, S>> {
  const plain = setPath(config, "algorithm.credit", "flat");
  const algorithm = { ...plain.algorithm, groupsPerUpdate, resampleRounds: 0 };
  const rolled = await rollOut({ ...plain, algorithm }, { arena, policy, networks: NO_NETWORKS, gate }, 0, rng);
  return batchOf(rolled, { update: 0, weights: await policy.snapshot(), shown: 0 });
}

/** Trajectories to fit networks to: of the other batches held, else of the group's own batch, else sampled for it; never the group's own. */
export async function practiceFor<T extends Task, S>({ sampled, others, most, ...source }: PracticeSource<T, S>): Promise<{ readonly practice: Practice; readonly rollouts: Rollouts<T, S> }> {
  const { batch, index } = sampled;
  const start = batch.weights;
  const made = (key: string, rollouts: Rollouts<T, S>, words: string) =>
    ({ practice: { key, groups: played(rollouts.groups, rollouts.rollouts.flat()), start, words }, rollouts });
  const held = others.flatMap(groupsOf).slice(0, most);
  const updates = [...new Set(held.map((group) => group.batch.update))];
  if (held.length >= LEAST_GROUPS) return made(`beside ${batch.update} of ${updates.join()}`, rolloutsOf(held), `trajectories of updates ${Math.min(...updates)} to ${Math.max(...updates)}`);
  const beside = [...groupsOf(batch).filter((other) => other.index !== index), ...held];
  if (beside.length >= LEAST_GROUPS / 2) return made(`with ${sampled.group.groupId} of ${updates.join()}`, rolloutsOf(beside), "trajectories of the same update and the one before");
  const fresh = await freshGroups(source, most);
  return made(`fresh at ${batch.update}`, rolloutsOf(groupsOf(fresh)), "trajectories sampled for it");
}
