import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { RewardConfig } from "#algorithms/rewards/registry.ts";
import type { Rng } from "#core/chance.ts";
import type { Credit, Judged, JudgedGroup, ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import type { RunConfig } from "#run/run-config.ts";
import { playAll, type Arena } from "../arena.ts";
import type { Gate, Practice } from "../runtime.ts";
import type { CriticScores, ImplicitScores, Played, PlayedGroup, RewardModel, SecondNetworks } from "../scorer.ts";
import { outcomeLabels, played, targetLabels, verdictLabels } from "./labels.ts";

/** A group as it was sampled, and its rollouts. */
interface Sampled {
  readonly scored: ScoredGroup;
  readonly rollouts: readonly (Judged & Played)[];
}

/** Judged groups with what the reward source's network says of them; as they are where it has none. */
export async function withModelScores<G extends JudgedGroup & PlayedGroup<Judged & Played>>({ rewarding }: SecondNetworks, groups: readonly G[]): Promise<readonly JudgedGroup[]> {
  if (rewarding === null) return groups;
  const scores = await rewarding.score(groups);
  return groups.map(({ groupId, members }, group) => ({ groupId, members: members.map((member, index) => ({ ...member, ...scores[group]?.[index] })) }));
}

/** Values before every turn, from the critic as the last update left it: it is fitted once credit has said to what. */
export const criticReader = ({ critic }: SecondNetworks, rollouts: readonly (readonly Played[])[]): (() => Promise<readonly (readonly CriticScores[])[]>) | null =>
  critic && (() => critic.score(rollouts.map((members) => ({ members }))));

/** What the implicit scorer says before its step of this update, and the step: one forward pass gives both (order "after" of iStar and PRIME). */
export const implicitReader = (
  { implicit }: SecondNetworks, groups: readonly Sampled[], credit: CreditConfig,
): (() => Promise<readonly (readonly ImplicitScores[])[]>) | null =>
  implicit && (async () => (await implicit.fit(outcomeLabels(played(groups.map(({ scored }) => scored), groups.flatMap(({ rollouts }) => rollouts)), credit))).before);

type Judging = Extract<RewardConfig, { readonly id: "learned" | "implicit" }>;
const isJudging = (reward: RewardConfig): reward is Judging => reward.id === "learned" || reward.id === "implicit";

const compare = (judge: RewardModel, groups: readonly PlayedGroup<Judged & Played>[], { check }: Judging) => judge.fit(verdictLabels(groups, check));

/**
 * The steps of one update that the networks take once credit is known: the critic on what is learnt from, the judge on all that was
 * sampled, as long as comparisons are made.
 * @param groups [groups] that are learnt from, with their credits
 */
export async function teachNetworks(
  { critic, rewarding }: SecondNetworks, { reward }: RunConfig, update: number, sampled: readonly Sampled[], groups: readonly ScoredGroup[], credits: readonly (readonly Credit[])[],
): Promise<void> {
  if (critic) {
    const rollouts = new Map(sampled.map((group) => [group.scored.groupId, group.rollouts]));
    await critic.fit(targetLabels(played(groups, groups.flatMap(({ groupId }) => rollouts.get(groupId) ?? [])), credits));
  }
  if (rewarding && isJudging(reward) && update <= reward.comparedUpdates) await compare(rewarding, sampled.map(({ rollouts }) => ({ members: rollouts })), reward);
}

interface PracticeParts<T extends Task, S> {
  readonly arena: Arena<T, S>;
  /** Holds the starting weights. */
  readonly policy: Pick<PolicyBackend, "sample">;
  readonly networks: SecondNetworks;
  readonly gate: Gate;
  /** Told after every step how many groups the network has practised on. */
  readonly practised?: ((progress: Practice) => void) | undefined;
}

/** Fits the reward source's network to groups of the starting policy, an update's worth of them at a time; nothing else learns from these. */
export async function practise<T extends Task, S>({ reward, algorithm: { groupSize, groupsPerUpdate } }: RunConfig, { arena, policy, networks: { rewarding }, gate, practised }: PracticeParts<T, S>, rng: Rng): Promise<void> {
  if (!rewarding || !isJudging(reward)) return;
  const tasks = arena.tasks("train", reward.practiceGroups, rng.fork("tasks"));
  for (let first = 0; first < tasks.length; first += groupsPerUpdate) {
    const some = tasks.slice(first, first + groupsPerUpdate);
    const specs = some.flatMap((task, group) =>
      Array.from({ length: groupSize }, (_, member) => arena.spec(task, `practice/${first + group}`, rng.fork(`group/${first + group}/member/${member}`), 0)));
    const rollouts = await playAll(arena, specs, policy, { greedy: false, concurrency: specs.length, onRound: () => gate() });
    await compare(rewarding, some.map((_, group) => ({ members: rollouts.slice(group * groupSize, (group + 1) * groupSize) })), reward);
    practised?.({ done: first + some.length, of: tasks.length });
    await gate();
  }
}
