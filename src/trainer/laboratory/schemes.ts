import { assignCredit } from "#algorithms/credit/implementations.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { creditNeeds } from "#algorithms/needs.ts";
import { turnRewards } from "#algorithms/returns.ts";
import type { Rng } from "#core/chance.ts";
import type { Credit, Scored, ScoredGroup, TruthTurns } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import { mean } from "#core/statistics.ts";
import { setPath, type RunConfig } from "#run/run-config.ts";
import type { CreditBasis, CreditId, SchemeCredit } from "#run/assessment.ts";
import type { Arena, JudgedRollout } from "../arena.ts";
import { creditRow, FREE_SCHEMES, rewardedFor } from "../board-rows.ts";
import { provide } from "../provide.ts";
import type { Cost } from "../provide/meter.ts";
import type { Gate } from "../runtime.ts";
import type { PlayedGroup } from "../scorer.ts";
import { isGiven, type Readers } from "./networks.ts";
import type { Rollouts } from "./practice.ts";

/** The scheme trained with has the run's settings, those shown beside any other the board's, the rest their defaults. */
export function settingsOf(id: CreditId, config: RunConfig): CreditConfig {
  const { credit } = config.algorithm;
  return credit.id === id ? credit : (FREE_SCHEMES.find((known) => known.id === id) ?? setPath(config, "algorithm.credit", id).algorithm.credit);
}

export interface SchemeParts<T extends Task, S> {
  readonly arena: Arena<T, S>;
  /** Holds the weights that sampled. */
  readonly policy: Pick<PolicyBackend, "sample" | "nextLogprobs">;
  readonly config: RunConfig;
  /** [groups][G], undefined for a failed rollout: of what is credited. */
  readonly truth: readonly (readonly (TruthTurns | undefined)[])[];
  readonly truthCost: Cost;
  /** Where the scheme needs networks that the rollouts were not scored with. */
  readonly readers: Readers | null;
  readonly rng: Rng;
  readonly gate: Gate;
}

const withTruth = (groups: readonly ScoredGroup[], truth: SchemeParts<Task, unknown>["truth"]): readonly ScoredGroup[] =>
  groups.map(({ groupId, members }, group) => ({
    groupId,
    members: members.map((member, index) => {
      const known = truth[group]?.[index];
      return known ? { ...member, truth: known } : member;
    }),
  }));

export interface Credited {
  readonly groups: readonly ScoredGroup[];
  /** [groups][G] */
  readonly credits: readonly (readonly Credit[])[];
  readonly reward: SchemeCredit["reward"];
  readonly cost: Cost;
  readonly fitted: string | null;
}

/** What a scheme pays, with whatever it needs filled in. @throws ConfigError where a need cannot be met; what the gate throws */
export async function creditOf<T extends Task, S>(credit: CreditConfig, { tasks, groups, rollouts }: Rollouts<T, S>, parts: SchemeParts<T, S>): Promise<Credited> {
  const { arena, policy, config, truth, truthCost, readers, rng, gate } = parts;
  const rewarded = await rewardedFor(credit.id, groups, config.reward.id, rng.fork("reward"));
  const needs = new Set(creditNeeds(credit));
  const missing = new Set([...needs].filter((need) => need !== "truth" && !isGiven(rewarded.groups, need)));
  const asked = (): readonly PlayedGroup<Scored & JudgedRollout<S>>[] => rewarded.groups.map(({ members }, group) => ({
    members: members.map((member, index) => ({ ...(rollouts[group]?.[index] as JudgedRollout<S>), ...member })),
  }));
  const { groups: provided, cost } = await provide(rewarded.groups, missing, {
    arena, policy, tasks, rollouts, reward: config.reward, branches: "branches" in credit ? credit.branches : 1, rng: rng.fork("provide"), gate,
    critic: readers && (() => readers.critic(asked())),
    implicit: readers && (() => readers.implicit(asked())),
  });
  const complete = needs.has("truth") ? withTruth(provided, truth) : provided;
  return {
    groups: complete,
    credits: assignCredit(complete, credit, rng.fork("credit")),
    reward: rewarded.reward,
    cost: needs.has("truth") ? truthCost : cost,
    fitted: readers?.fitted ?? null,
  };
}

const sumOver = (values: readonly Float32Array[], { sequence, start, end }: Scored["trajectory"]["turns"][number]): number =>
  (values[sequence] ?? new Float32Array()).subarray(start, end).reduce((sum, value) => sum + value, 0);

/** What the formula is filled in with, of a group whose members were scored. */
export function basisOf(credit: CreditConfig, { members }: ScoredGroup): CreditBasis | null {
  const needs = creditNeeds(credit);
  if (needs.includes("values")) return { kind: "values", values: members.map(({ values }) => [...(values ?? [])]) };
  if (needs.includes("tokenScores")) {
    const compared = ({ trajectory, tokenReferences }: Scored): readonly Float32Array[] =>
      needs.includes("tokenReferences") ? (tokenReferences ?? []) : trajectory.sequences.map(({ behaviorLogprobs }) => behaviorLogprobs);
    const perTurn = (member: Scored, values: readonly Float32Array[]): readonly number[] => member.trajectory.turns.map((turn) => sumOver(values, turn));
    return {
      kind: "log-ratio",
      scorer: members.map((member) => perTurn(member, member.tokenScores ?? [])),
      reference: members.map((member) => perTurn(member, compared(member))),
    };
  }
  if (credit.id === "process" || credit.id === "process-immediate") return { kind: "rewards", rewards: members.map(({ rewards }) => turnRewards(rewards)) };
  if (!needs.includes("branchReturns")) return null;
  const returns = members.map(({ branchReturns = [] }) => branchReturns);
  return { kind: "continuations", means: returns.map((turns) => turns.map((list) => (list.length === 0 ? 0 : mean(list)))), counts: returns.map((turns) => turns.map(({ length }) => length)) };
}

/** One group's row. @param index of the group among those credited */
export function schemeRow(credit: CreditConfig, { groups, credits, reward, cost, fitted }: Credited, index: number): SchemeCredit {
  const group = groups[index];
  if (!group) throw new RangeError(`there is no group ${index}`);
  const tokens = (members: readonly Scored[]): number => members.reduce((sum, { trajectory }) => sum + trajectory.sequences.reduce((length, sequence) => length + sequence.tokens.length, 0), 0);
  // Networks read all trajectories; other needs are met for the groups they are asked for.
  const share = groups.length === 1 ? 1 : tokens(group.members) / groups.reduce((sum, { members }) => sum + tokens(members), 0);
  return {
    ...creditRow(credit, reward, group, credits[index] ?? []),
    cost: { steps: Math.round(cost.steps * share), tokens: Math.round(cost.tokens * share) },
    fitted,
    basis: basisOf(credit, group),
  };
}

