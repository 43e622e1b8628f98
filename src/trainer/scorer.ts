import type { Wording } from "#core/harness.ts";
import type { Trajectory } from "#core/trajectory.ts";
import type { Executor } from "#engine/executor.ts";
import type { ModelConfig } from "#engine/model.ts";
import type { PolicyState } from "#engine/policy-backend.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import type { NetworkStates } from "#run/run-snapshot.ts";

/** What a second network reads: a rollout in the wording it was played in. */
export interface Played {
  readonly trajectory: Trajectory;
  readonly wording: Wording;
}
export interface PlayedGroup<P extends Played = Played> {
  readonly members: readonly P[];
}

/** What a second network is fitted to; null leaves the rollout out, as does a rollout that failed. */
export interface Labelled<L> extends Played {
  readonly label: L | null;
}

export interface Fit<S> {
  /** Means over the optimiser steps; null where there was nothing to learn from: no pair, no label. Then nothing changed. */
  readonly loss: number | null;
  readonly gradNorm: number | null;
  /** Optimiser steps taken. */
  readonly steps: number;
  /** [groups][G] what `score` would have said before the first step. */
  readonly before: readonly (readonly S[])[];
}

/**
 * A network of the run beside its policy: own weights, own AdamW, on the run's executor. It knows neither rewards nor verdicts: who calls
 * `fit` says what is to be learnt. A trajectory's scores depend on that trajectory alone, whatever is scored with it.
 */
export interface SecondNetwork<S, L> {
  /** [groups][G]; zeros for a rollout without turns. No weight changes. */
  score(groups: readonly PlayedGroup[]): Promise<readonly (readonly S[])[]>;
  /** The optimiser steps of one update. Where that is a single one, scores and gradient come out of one forward pass. */
  fit(groups: readonly PlayedGroup<Labelled<L>>[]): Promise<Fit<S>>;
  exportState(): Promise<PolicyState>;
  /** @throws PolicyError when it is of another model. */
  importState(state: PolicyState): void;
  dispose(): void;
}

export interface CriticScores {
  /** [turns + 1], the last behind the last turn: what a truncated episode is bootstrapped with, 0 for one that ended by itself. */
  readonly values: Float32Array;
  /** Per sequence [L], at the position before each sampled token; 0 elsewhere. */
  readonly tokenValues: readonly Float32Array[];
}
/** Fitted to what credit says a critic's targets are: per sequence [L], read where a token was sampled. */
export type Critic = SecondNetwork<CriticScores, readonly Float32Array[]>;

export interface ImplicitScores {
  /** Per sequence [L], nats over the legal tokens, 0 where not sampled: under the scorer, and under the policy it started as. */
  readonly tokenScores: readonly Float32Array[];
  readonly tokenReferences: readonly Float32Array[];
}
/** Fitted to outcomes: whether the trajectory was a success. */
export type ImplicitScorer = SecondNetwork<ImplicitScores, boolean>;

/** [turns] score of the trajectory as it stood after each turn; only the last was ever fitted. */
export interface RewardScores {
  readonly modelScores: Float32Array;
}
/** Fitted to pairs within a group, one a success and one not. */
export type RewardModel = SecondNetwork<RewardScores, boolean>;

/** What a second network is made with. */
export interface NetworkParts {
  readonly executor: Executor;
  readonly harness: LoopHarness;
  /** The policy's; whether there is a value head is the network's own affair. */
  readonly model: ModelConfig;
  /** Weights in snapshot order of `model` that it starts with; a value head they lack starts at zero. */
  readonly start: Float32Array;
}

/** The networks of one run; null where its settings need none. */
export interface SecondNetworks {
  /** For the credit scheme, where the policy has no value head. */
  readonly critic: Critic | null;
  /** For the credit scheme. */
  readonly implicit: ImplicitScorer | null;
  /** For the reward source. */
  readonly rewarding: RewardModel | null;
  exportState(): Promise<NetworkStates>;
  /** @throws PolicyError when a network is missing or of another model. */
  importState(states: NetworkStates): void;
  dispose(): void;
}
