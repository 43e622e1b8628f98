import { scoreGroups } from "#algorithms/rewards/implementations.ts";
import type { Scored, ScoredGroup } from "#core/credit.ts";
import type { Split, Task } from "#core/environment.ts";
import { createRng } from "#core/rng.ts";
import type { Checkpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { playAll, withArena, type Arena, type JudgedRollout } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import type { Labelled, NetworkParts, Played, PlayedGroup } from "#trainer/scorer.ts";
import { played } from "#trainer/scorer/labels.ts";

export const DESK = PRESETS["refund-desk"];
/** One block of the smallest width, blank. */
export const TINY_DESK: RunConfig = { ...DESK, seed: 5, policy: { layers: 1, width: 32, context: 96, valueHead: false } };

export interface SampledGroups {
  readonly groups: readonly PlayedGroup<Scored & Played>[];
  readonly scored: readonly ScoredGroup[];
}

export interface Workshop {
  readonly parts: NetworkParts;
  /** Groups of the policy, with verifiable rewards. @param turns of the budget */
  sample(name: string, split: Split, count: number, size: number, turns?: number): Promise<SampledGroups>;
}

async function sampled<T extends Task, S>(config: RunConfig, arena: Arena<T, S>, policy: Parameters<typeof playAll>[2], name: string, split: Split, count: number, size: number): Promise<SampledGroups> {
  const rng = createRng(config.seed).fork(name);
  const tasks = arena.tasks(split, count, rng.fork("tasks"));
  const specs = tasks.flatMap((task, group) => Array.from({ length: size }, (_, member) => arena.spec(task, `${name}/${group}`, rng.fork(`${group}/${member}`), 0)));
  const rollouts: readonly JudgedRollout[] = await playAll(arena, specs, policy, { greedy: false });
  const judged = tasks.map((_, group) => ({ groupId: `${name}/${group}`, members: rollouts.slice(group * size, (group + 1) * size) }));
  const rewards = await scoreGroups(judged, config.reward, rng.fork("reward"));
  const scored = judged.map(({ groupId, members }, group) => ({ groupId, members: members.map(({ trajectory, verdict }, index) => ({ trajectory, verdict, rewards: rewards[group]![index]! })) }));
  return { scored, groups: played(scored, rollouts) };
}

/** A policy on an executor, and groups that it plays. */
export async function workshop(executor: Executor, config: RunConfig, checkpoint?: Checkpoint): Promise<Workshop> {
  const [parts, policy] = await withArena(config, async (arena) => {
    const opened = openPolicy(executor, config, arena, checkpoint);
    return [{ executor, harness: arena.harness, model: opened.layout.config, start: await opened.snapshot() }, opened] as const;
  });
  return {
    parts,
    sample: (name, split, count, size, turns = config.harness.turns) =>
      withArena({ ...config, harness: { ...config.harness, turns } }, (arena) => sampled(config, arena, policy, name, split, count, size)),
  };
}

/** Labels that have nothing to do with what happened. */
export const alternating = (groups: readonly PlayedGroup[]): PlayedGroup<Labelled<boolean>>[] =>
  groups.map(({ members }, group) => ({ members: members.map((member, index) => ({ ...member, label: (index + group) % 3 === 0 })) }));

/** The same for a critic: a target that moves along the sequence. */
export const slopes = (groups: readonly PlayedGroup[]): PlayedGroup<Labelled<readonly Float32Array[]>>[] =>
  groups.map(({ members }, group) => ({
    members: members.map((member, index) => ({
      ...member, label: member.trajectory.sequences.map(({ tokens }) => Float32Array.from(tokens, (_, place) => ((place * (index + 2 + group)) % 7) / 7)),
    })),
  }));
