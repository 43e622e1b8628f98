import { assignCredit } from "#algorithms/credit/implementations.ts";
import { creditNeeds } from "#algorithms/needs.ts";
import type { ObjectiveNeed } from "#algorithms/objectives/entry.ts";
import { hasSignal, returnOf } from "#algorithms/returns.ts";
import { scoreGroups } from "#algorithms/rewards/implementations.ts";
import type { Rng } from "#core/chance.ts";
import type { Credit, Needs, ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { PolicyError } from "#core/errors.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import { playAll, type Arena, type JudgedRollout } from "./arena.ts";
import { provide } from "./provide.ts";
import { headValues } from "./provide/head-values.ts";
import { NO_COST, type Cost } from "./provide/meter.ts";
import type { SecondNetworks } from "./scorer.ts";
import { criticReader, implicitReader, withModelScores } from "./scorer/in-run.ts";
import type { Gate } from "./runtime.ts";

interface RollOutParts<T extends Task, S> {
  readonly arena: Arena<T, S>;
  readonly policy: EnginePolicy;
  readonly networks: SecondNetworks;
  readonly gate: Gate;
}

/** What a run under these settings can hand to credit and objective. */
export const providedTo = ({ policy: { valueHead } }: RunConfig, { critic, implicit }: SecondNetworks): ReadonlySet<Needs | ObjectiveNeed> =>
  new Set<Needs | ObjectiveNeed>([
    "reference", "demonstrations", "truth", "branchReturns", ...(valueHead ? (["valueHead"] as const) : []), ...(valueHead || critic ? (["values", "tokenValues"] as const) : []),
    ...(implicit ? (["tokenScores", "tokenReferences"] as const) : []),
  ]);

/** Where in an update a group was drawn: at first, or in which round of dynamic sampling, and at what place among those. */
export interface DrawPlace {
  readonly round: number;
  readonly index: number;
}

/** The stream that a group's task and trajectories are drawn from. @param update the update's own stream */
export const drawStream = (update: Rng, round: number): Rng => (round === 0 ? update : update.fork(`round/${round}`));
export const memberStream = (drawn: Rng, index: number, member: number): Rng => drawn.fork(`group/${index}/member/${member}`);

/** A task, the trajectories sampled on it, and what they were paid. */
export interface SampledGroup<T extends Task, S> {
  readonly task: T;
  readonly rollouts: readonly JudgedRollout<S>[];
  readonly scored: ScoredGroup;
  readonly place: DrawPlace;
}

export interface Rolled<T extends Task, S> {
  /** Of the groups that are learnt from. */
  readonly tasks: readonly T[];
  readonly groups: readonly ScoredGroup[];
  readonly places: readonly DrawPlace[];
  /** [groups][G] */
  readonly credits: readonly (readonly Credit[])[];
  /** All that were sampled; dynamic sampling leaves out those without signal. */
  readonly sampled: readonly SampledGroup<T, S>[];
  /** What the scheme took beyond all trajectories. */
  readonly cost: Cost;
}

/** Groups on fresh tasks. @param before groups of this update that were sampled earlier. @param stream the update's */
async function sampleGroups<T extends Task, S>(
  config: RunConfig, { arena, policy, networks, gate }: RollOutParts<T, S>, update: number, count: number, before: number, round: number, stream: Rng,
): Promise<readonly SampledGroup<T, S>[]> {
  const { groupSize } = config.algorithm;
  const rng = drawStream(stream, round);
  const tasks = arena.tasks("train", count, rng.fork("tasks"));
  const groupIdOf = (group: number): string => `${update}/${before + group}`;
  const specs = tasks.flatMap((task, group) =>
    Array.from({ length: groupSize }, (_, member) => arena.spec(task, groupIdOf(group), memberStream(rng, group, member), update - 1)),
  );
  const judged = await playAll(arena, specs, policy, { greedy: false, concurrency: specs.length, onRound: () => gate() });
  const rollouts = tasks.map((_, group) => judged.slice(group * groupSize, (group + 1) * groupSize));
  const judgedGroups = await withModelScores(networks, rollouts.map((members, group) => ({ groupId: groupIdOf(group), members })));
  const rewards = await scoreGroups(judgedGroups, config.reward, rng.fork("reward"));
  return tasks.map((task, group) => {
    const groupId = groupIdOf(group);
    const members = (rollouts[group] ?? []).map(({ trajectory, verdict }, member) => {
      const paid = rewards[group]?.[member];
      if (!paid) throw new PolicyError(`the reward source scored nothing for member ${member} of group ${groupId}`);
      return { trajectory, verdict, rewards: paid };
    });
    return { task, rollouts: rollouts[group] ?? [], scored: { groupId, members }, place: { round, index: group } };
  });
}

const isInformative = ({ scored: { members } }: SampledGroup<Task, unknown>): boolean => hasSignal(members.map(returnOf));

/**
 * The groups of an update. With dynamic sampling, those whose rewards are all equal are left out and as many new ones sampled, on other
 * tasks, for so many rounds at most; the batch is smaller where that was not enough, and as it was sampled where nothing has signal.
 * Source: DAPO, arXiv 2503.14476, section 3.2; algorithms.md, section 3.4.
 */
async function gather<T extends Task, S>(config: RunConfig, parts: RollOutParts<T, S>, update: number, rng: Rng): Promise<{ readonly kept: readonly SampledGroup<T, S>[]; readonly sampled: readonly SampledGroup<T, S>[] }> {
  const { groupsPerUpdate, resampleRounds } = config.algorithm;
  const sampled = [...(await sampleGroups(config, parts, update, groupsPerUpdate, 0, 0, rng))];
  if (resampleRounds === 0) return { kept: sampled, sampled };
  for (let round = 1; round <= resampleRounds; round += 1) {
    const missing = groupsPerUpdate - sampled.filter(isInformative).length;
    if (missing === 0) break;
    sampled.push(...(await sampleGroups(config, parts, update, missing, sampled.length, round, rng)));
  }
  const kept = sampled.filter(isInformative);
  return { kept: kept.length > 0 ? kept : sampled.slice(0, groupsPerUpdate), sampled };
}

/** Fresh tasks, a group of trajectories each, judged, rewarded, provided with what the scheme needs, credited. */
export async function rollOut<T extends Task, S>(config: RunConfig, parts: RollOutParts<T, S>, update: number, rng: Rng): Promise<Rolled<T, S>> {
  const { arena, policy, networks, gate } = parts;
  const { credit } = config.algorithm;
  const { kept, sampled } = await gather(config, parts, update, rng);
  const tasks = kept.map(({ task }) => task);
  const scored = kept.map((group) => group.scored);
  const needs: ReadonlySet<Needs> = new Set(creditNeeds(credit));
  const rollouts = kept.map((group) => group.rollouts);
  const { groups, cost } = needs.size === 0 ? { groups: scored, cost: NO_COST } : await provide(scored, needs, {
    arena, policy, tasks, rollouts, reward: config.reward, branches: credit.id === "branching" ? credit.branches : 1, rate: (judged) => withModelScores(networks, judged),
    critic: config.policy.valueHead ? () => headValues(policy, arena.harness, rollouts) : criticReader(networks, rollouts),
    implicit: implicitReader(networks, kept, credit),
    rng: rng.fork("provide"), gate,
  });
  return { tasks, groups, places: kept.map(({ place }) => place), credits: assignCredit(groups, credit, rng.fork("credit")), sampled, cost };
}
