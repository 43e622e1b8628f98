import { assignCredit } from "#algorithms/credit/implementations.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { creditNeeds } from "#algorithms/needs.ts";
import type { Needs, Scored, ScoredGroup } from "#core/credit.ts";
import { createRng } from "#core/rng.ts";
import type { Gate } from "../runtime.ts";
import type { Critic, CriticScores, ImplicitScorer, ImplicitScores, NetworkParts, Played, PlayedGroup } from "../scorer.ts";
import { createCritic } from "../scorer/critic.ts";
import { createImplicitScorer, type ImplicitLoss } from "../scorer/implicit.ts";
import { outcomeLabels, targetLabels } from "../scorer/labels.ts";

type Group = PlayedGroup<Scored & Played>;

/** What networks are fitted to that a run does not have: trajectories beside those that are assessed. */
export interface Practice {
  /** Equal for the same trajectories and weights. */
  readonly key: string;
  readonly groups: readonly Group[];
  /** Weights the networks start from: of the policy that sampled what is assessed. */
  readonly start: Float32Array;
  /** Which trajectories, in words that go on from their number. */
  readonly words: string;
}

/** Networks that are asked about trajectories where a run has none of its own. */
export interface Readers {
  critic(groups: readonly PlayedGroup[]): Promise<readonly (readonly CriticScores[])[]>;
  implicit(groups: readonly PlayedGroup[]): Promise<readonly (readonly ImplicitScores[])[]>;
  /** What they were fitted to, in words. */
  readonly fitted: string;
}

type CriticConfig = Extract<CreditConfig, { id: "critic" | "bilevel" }>;
type ImplicitConfig = Extract<CreditConfig, { id: "istar" | "prime" }>;

/** Groups of one optimiser step: a small enough piece of work between two looks at the gate. */
const STEP_GROUPS = 8;
/** How often the trajectories are gone through. */
const EPOCHS = 4;

async function inSteps(groups: readonly Group[], gate: Gate, step: (some: readonly Group[]) => Promise<unknown>): Promise<void> {
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (let from = 0; from < groups.length; from += STEP_GROUPS) {
      await gate();
      await step(groups.slice(from, from + STEP_GROUPS));
    }
  }
}

/** To the targets that the scheme gives a critic, as a run's own is. */
async function practiseCritic(critic: Critic, config: CriticConfig, groups: readonly Group[], gate: Gate): Promise<void> {
  await inSteps(groups, gate, async (some) => {
    const scores = await critic.score(some);
    const valued = some.map(({ members }, group) => ({ groupId: "", members: members.map((member, index) => ({ ...member, ...scores[group]?.[index] })) }));
    return critic.fit(targetLabels(some, assignCredit(valued, config, createRng(0))));
  });
}

const lossOf = (config: ImplicitConfig): ImplicitLoss =>
  config.id === "istar" ? { kind: "istar", beta: config.beta, form: config.form } : { kind: "prime", beta: config.beta };

const NETWORK_NEEDS: readonly Needs[] = ["values", "tokenValues", "tokenScores", "tokenReferences"];

const isCritic = (credit: CreditConfig): credit is CriticConfig => credit.id === "critic" || credit.id === "bilevel";
const isImplicit = (credit: CreditConfig): credit is ImplicitConfig => credit.id === "istar" || credit.id === "prime";

/** Whether all rollouts that can be scored have it. */
export const isGiven = (groups: readonly ScoredGroup[], need: Needs): boolean =>
  groups.every(({ members }) => members.every((member) => member.trajectory.ending === "failed" || member[need] !== undefined));

/** Which networks a scheme would have to be given. */
export const wantsNetworks = (credit: CreditConfig, groups: readonly ScoredGroup[]): boolean =>
  creditNeeds(credit).some((need) => NETWORK_NEEDS.includes(need) && !isGiven(groups, need));

interface Held<N> {
  readonly key: string;
  readonly network: N;
}

/** The networks that were fitted last, one of each kind, so that a second question about the same policy finds them. */
export class PracticedNetworks {
  readonly #parts: Omit<NetworkParts, "start">;
  #critic: Held<Critic> | null = null;
  #implicit: Held<ImplicitScorer> | null = null;

  constructor(parts: Omit<NetworkParts, "start">) {
    this.#parts = parts;
  }

  /** @throws what the gate throws; then nothing is kept of the fit */
  async readers(credit: CreditConfig, { key: of, groups, start, words }: Practice, gate: Gate): Promise<Readers> {
    const key = `${of} ${JSON.stringify(credit)}`;
    const parts = { ...this.#parts, start };
    if (isCritic(credit) && this.#critic?.key !== key) {
      this.#critic?.network.dispose();
      this.#critic = null;
      const network = createCritic(parts, { learningRate: credit.networkLearningRate, steps: 1 });
      await orDisposed(network, () => practiseCritic(network, credit, groups, gate));
      this.#critic = { key, network };
    }
    if (isImplicit(credit) && this.#implicit?.key !== key) {
      this.#implicit?.network.dispose();
      this.#implicit = null;
      const network = createImplicitScorer(parts, { learningRate: credit.networkLearningRate, steps: 1 }, lossOf(credit));
      await orDisposed(network, () => inSteps(groups, gate, (some) => network.fit(outcomeLabels(some, credit))));
      this.#implicit = { key, network };
    }
    const [critic, implicit] = [this.#critic?.network, this.#implicit?.network];
    return {
      critic: async (asked) => (await critic?.score(asked)) ?? [],
      implicit: async (asked) => (await implicit?.score(asked)) ?? [],
      fitted: `${groups.reduce((sum, { members }) => sum + members.length, 0)} ${words}, gone through ${EPOCHS} times`,
    };
  }

  dispose(): void {
    this.#critic?.network.dispose();
    this.#implicit?.network.dispose();
  }
}

async function orDisposed(network: { dispose(): void }, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    network.dispose();
    throw error;
  }
}
