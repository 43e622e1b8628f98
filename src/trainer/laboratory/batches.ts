import type { Credit, ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import type { JudgedRollout } from "../arena.ts";
import type { Cost } from "../provide/meter.ts";
import type { Rolled } from "../roll-out.ts";
import { HELD_UPDATES } from "./held.ts";

/** All that was sampled for one update, before anything was learnt from it. */
export interface SampledBatch<T, S> {
  readonly update: number;
  /** Of the policy that sampled it, in snapshot order. */
  readonly weights: Float32Array;
  /** [groups] */
  readonly tasks: readonly T[];
  readonly groups: readonly ScoredGroup[];
  /** [groups][G] of the scheme trained with. */
  readonly credits: readonly (readonly Credit[])[];
  /** All members, in the order of the groups. */
  readonly judged: readonly JudgedRollout<S>[];
  /** What the scheme trained with took beyond the trajectories. */
  readonly cost: Cost;
  /** Index of the group that the page shows. */
  readonly shown: number;
}

/** One group of a batch. */
export interface SampledGroup<T, S> {
  readonly batch: SampledBatch<T, S>;
  readonly index: number;
  readonly task: T;
  readonly group: ScoredGroup;
  readonly judged: readonly JudgedRollout<S>[];
  /** [G] of the scheme trained with. */
  readonly credits: readonly Credit[];
}

export function groupOf<T, S>(batch: SampledBatch<T, S>, index: number): SampledGroup<T, S> | undefined {
  const [task, group, credits] = [batch.tasks[index], batch.groups[index], batch.credits[index]];
  if (task === undefined || group === undefined || credits === undefined) return undefined;
  const before = batch.groups.slice(0, index).reduce((sum, { members }) => sum + members.length, 0);
  return { batch, index, task, group, judged: batch.judged.slice(before, before + group.members.length), credits };
}

/** What was rolled out for an update as it is held. */
export function batchOf<T extends Task, S>({ tasks, groups, credits, sampled, cost }: Rolled<T, S>, about: Pick<SampledBatch<T, S>, "update" | "weights" | "shown">): SampledBatch<T, S> {
  const rollouts = new Map(sampled.map((group) => [group.scored.groupId, group.rollouts]));
  return { ...about, tasks, groups, credits, cost, judged: groups.flatMap(({ groupId }) => rollouts.get(groupId) ?? []) };
}

/** The newest batches of a run. */
export class RecentBatches<T, S> {
  #batches: readonly SampledBatch<T, S>[] = [];

  keep(batch: SampledBatch<T, S>): void {
    this.#batches = [...this.#batches.filter(({ update }) => update < batch.update), batch].slice(-HELD_UPDATES);
  }

  get newest(): SampledBatch<T, S> | undefined {
    return this.#batches.at(-1);
  }

  /** The newest first, without that of an update. */
  others(update: number): readonly SampledBatch<T, S>[] {
    return this.#batches.filter((batch) => batch.update !== update).toReversed();
  }

  /** @throws PolicyError when the group is not held any more. */
  find(groupId: string): SampledGroup<T, S> {
    for (const batch of this.#batches) {
      const index = batch.groups.findIndex((group) => group.groupId === groupId);
      const found = index < 0 ? undefined : groupOf(batch, index);
      if (found) return found;
    }
    const oldest = this.#batches[0]?.update;
    const held = oldest === undefined ? "groups can be looked into from the next update on" : `it still holds those from update ${oldest} on`;
    throw new PolicyError(`the trainer no longer holds the group of update ${groupId.split("/")[0]}; ${held}`, { groupId });
  }
}
