import type { RewardConfig } from "#algorithms/rewards/registry.ts";
import type { Rng } from "#core/chance.ts";
import type { Needs, Scored, ScoredGroup } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import type { Arena, JudgedRollout } from "./arena.ts";
import { branchReturns, type BranchSettings } from "./provide/branch-returns.ts";
import { addCosts, metered, NO_COST, type Cost } from "./provide/meter.ts";
import { quickTruth } from "./provide/truth.ts";
import type { Gate } from "./runtime.ts";
import type { CriticScores, ImplicitScores } from "./scorer.ts";

/** What a network says of the rollouts at hand, [groups][G]. */
export type Reader<S> = () => Promise<readonly (readonly S[])[]>;

export interface ProvideParts<T extends Task, S> {
  readonly arena: Arena<T, S>;
  /** Holds the weights that sampled. */
  readonly policy: Pick<PolicyBackend, "sample" | "nextLogprobs">;
  /** [groups] */
  readonly tasks: readonly T[];
  /** [groups][G] */
  readonly rollouts: readonly (readonly JudgedRollout<S>[])[];
  readonly reward: RewardConfig;
  /** For `branchReturns`: continuations a turn, and what the reward source's network says of them, where it has one. */
  readonly branches: number;
  readonly rate?: BranchSettings["rate"];
  readonly critic: Reader<CriticScores> | null;
  readonly implicit: Reader<ImplicitScores> | null;
  readonly rng: Rng;
  readonly gate: Gate;
}

export interface Provided {
  readonly groups: readonly ScoredGroup[];
  /** Beyond the trajectories, for all groups together. */
  readonly cost: Cost;
}

type Gift = Partial<Pick<Scored, Needs>>;
interface Source {
  readonly gives: readonly Needs[];
  bring<T extends Task, S>(parts: ProvideParts<T, S>): Promise<{ readonly gifts: readonly (readonly Gift[])[]; readonly cost: Cost }>;
}

const asTheyAre: BranchSettings["rate"] = (groups) => Promise.resolve(groups);

/** Every token of the trajectories, read once more. */
const readAgain = (rollouts: readonly (readonly JudgedRollout[])[]): Cost => ({
  steps: 0, tokens: rollouts.flat().reduce((sum, { trajectory }) => sum + trajectory.sequences.reduce((length, { tokens }) => length + tokens.length, 0), 0),
});

const SOURCES: readonly Source[] = [
  {
    gives: ["values", "tokenValues"],
    bring: async ({ critic, rollouts }) => ({ gifts: (await critic?.()) ?? [], cost: readAgain(rollouts) }),
  },
  {
    gives: ["tokenScores", "tokenReferences"],
    bring: async ({ implicit, rollouts }) => ({ gifts: (await implicit?.()) ?? [], cost: readAgain(rollouts) }),
  },
  {
    gives: ["branchReturns"],
    async bring({ arena, policy, tasks, rollouts, branches, reward, rate = asTheyAre, rng, gate }) {
      const meter = metered(arena, policy);
      const returns = await branchReturns(meter, tasks, rollouts, { branches, reward, rate, rng: rng.fork("branches"), gate });
      return { gifts: returns.map((members) => members.map((turns) => ({ branchReturns: turns }))), cost: meter.spent() };
    },
  },
  {
    gives: ["truth"],
    async bring({ arena, policy, tasks, rollouts, rng, gate }) {
      const meter = metered(arena, policy);
      const measured = await quickTruth(meter, tasks, rollouts, { rng: rng.fork("truth"), gate });
      return { gifts: measured.map((members) => members.map((truth) => (truth ? { truth } : {}))), cost: meter.spent() };
    },
  },
];

/**
 * Fills in what a credit scheme needs beside rewards: values of a critic, log-probabilities of an implicit scorer, continuations, truth.
 * The policy must still be the one that sampled. Equal groups and streams give equal numbers. A need that nothing at hand can meet stays
 * unmet: the scheme says so. @throws what the gate throws.
 */
export async function provide<T extends Task, S>(groups: readonly ScoredGroup[], needs: ReadonlySet<Needs>, parts: ProvideParts<T, S>): Promise<Provided> {
  let provided: Provided = { groups, cost: NO_COST };
  for (const { gives, bring } of SOURCES) {
    if (!gives.some((need) => needs.has(need))) continue;
    const { gifts, cost } = await bring(parts);
    provided = {
      groups: provided.groups.map(({ groupId, members }, group) => ({ groupId, members: members.map((member, index) => ({ ...member, ...gifts[group]?.[index] })) })),
      cost: addCosts(provided.cost, cost),
    };
  }
  return provided;
}
