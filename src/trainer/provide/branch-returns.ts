import { returnOf } from "#algorithms/returns.ts";
import { scoreGroups } from "#algorithms/rewards/implementations.ts";
import type { RewardConfig } from "#algorithms/rewards/registry.ts";
import type { Rng } from "#core/chance.ts";
import type { Judged, JudgedGroup, Scored } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import { canonical } from "#core/json.ts";
import type { Json, SeenStep } from "#core/trajectory.ts";
import type { EpisodeSpec } from "#harness/episode.ts";
import { playAll, type Arena, type JudgedRollout } from "../arena.ts";
import type { Gate } from "../runtime.ts";
import type { Played, PlayedGroup } from "../scorer.ts";
import type { Metered } from "./meter.ts";

/** Episodes sampled together: bounds the key-value cache. */
const CONCURRENCY = 256;

/** A place to go on from, and the rollout it was found in. */
interface Point<T, S> {
  readonly key: string;
  readonly task: T;
  readonly rollout: JudgedRollout<S>;
  readonly turn: number;
}

const stepsBefore = ({ trajectory: { turns } }: JudgedRollout, turn: number): readonly SeenStep[] =>
  turns.slice(0, turn).map(({ action, observation }) => ({ action, observation }));

/** Equal for turns whose futures are equal in distribution: task, wording, history and hidden state are. */
const keyOf = <S>(task: Task, rollout: JudgedRollout<S>, turn: number): string =>
  canonical([task.id, rollout.wording.variant, stepsBefore(rollout, turn), rollout.states[turn]] as unknown as Json);

type JudgedRollouts = JudgedGroup & PlayedGroup<Judged & Played>;

export interface BranchSettings {
  /** Continuations a turn. */
  readonly branches: number;
  readonly reward: RewardConfig;
  /** Adds what the reward source's network says, where it has one. */
  readonly rate: (groups: readonly JudgedRollouts[]) => Promise<readonly JudgedGroup[]>;
  readonly rng: Rng;
  readonly gate: Gate;
}

/**
 * A continuation as part of the whole trajectory, so that rewards which look at all of it are paid as they would be.
 * @param wholeHistory whether the continuation's sequence holds what came before it; else every turn has its own
 */
function joined<S>({ rollout: { trajectory, wording }, turn }: Point<unknown, S>, { trajectory: rest, verdict }: JudgedRollout<S>, wholeHistory: boolean): Judged & Played {
  const kept = wholeHistory ? [] : trajectory.sequences.slice(0, turn);
  const turns = [...trajectory.turns.slice(0, turn), ...rest.turns.map((own) => ({ ...own, sequence: own.sequence + kept.length }))];
  return { verdict, wording, trajectory: { ...rest, sequences: [...kept, ...rest.sequences], turns } };
}

/** What was paid from a turn on; null for a continuation that failed. */
function returnFrom(turn: number, { trajectory, verdict, rewards }: Scored): number | null {
  return returnOf({ trajectory, verdict, rewards: { perTurn: rewards.perTurn.subarray(turn), terminal: rewards.terminal } });
}

/**
 * [groups][G][turns][K] undiscounted returns from each turn on, of fresh continuations out of the restored state, hidden part included: the
 * value given the hidden state, not given what the policy saw. Turns that stand at the very same place share their continuations.
 * Continuations that failed are left out.
 * Source: VinePPO, arXiv 2410.01679, section 4; algorithms.md, section 9.
 */
export async function branchReturns<T extends Task, S>(
  { arena, policy }: Metered<Pick<Arena<T, S>, "environment" | "harness" | "budget" | "constrained">>, tasks: readonly T[], rollouts: readonly (readonly JudgedRollout<S>[])[], { branches, reward, rate, rng, gate }: BranchSettings,
): Promise<readonly (readonly (readonly Float32Array[])[])[]> {
  const { environment, harness, budget, constrained } = arena;
  const points = new Map<string, Point<T, S>>();
  const keys = rollouts.map((members, group) => members.map((rollout) => {
    const task = tasks[group];
    if (!task) throw new PolicyError(`group ${group} has no task`);
    return rollout.trajectory.turns.map((_, turn) => {
      const key = keyOf(task, rollout, turn);
      if (!points.has(key)) points.set(key, { key, task, rollout, turn });
      return key;
    });
  }));
  const all = [...points.values()];
  const specs = all.flatMap(({ key, task, rollout, turn }): EpisodeSpec<T, S>[] => {
    const state = rollout.states[turn];
    if (state === undefined) throw new PolicyError(`the state before turn ${turn + 1} of task ${task.id} was not kept`);
    const stream = rng.fork(`place/${key}`);
    return Array.from({ length: branches }, (_, branch) => ({
      environment, harness, task, groupId: rollout.trajectory.groupId, budget, rng: stream.fork(`branch/${branch}`), policyVersion: rollout.trajectory.policyVersion,
      constrained, varyWording: false, wording: rollout.wording, from: { first: rollout.trajectory.first, seen: stepsBefore(rollout, turn), state },
    }));
  });
  const played = await playAll(arena, specs, policy, { greedy: false, concurrency: CONCURRENCY, onRound: () => gate() });
  const judged = all.map((point, index) => ({
    groupId: `branch/${point.key}`, members: played.slice(index * branches, (index + 1) * branches).map((rollout) => joined(point, rollout, harness.wholeHistory)),
  }));
  const rewards = await scoreGroups(await rate(judged), reward, rng.fork("reward"));
  const returns = new Map(all.map(({ key, turn }, index) => {
    const known = judged[index]?.members.map((member, branch) => {
      const paid = rewards[index]?.[branch];
      return paid ? returnFrom(turn, { ...member, rewards: paid }) : null;
    });
    return [key, Float32Array.from((known ?? []).filter((value) => value !== null))];
  }));
  return keys.map((members) => members.map((turns) => turns.map((key) => returns.get(key) ?? new Float32Array())));
}
