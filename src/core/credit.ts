import type { Rng } from "./chance.ts";
import type { Maybe, Verdict } from "./environment.ts";
import type { Trajectory } from "./trajectory.ts";

export type Trust = "verifiable" | "shaped" | "learned" | "implicit" | "control";

export interface TurnRewards {
  /** [turns] */
  readonly perTurn: Float32Array;
  readonly terminal: number;
}

export interface Judged {
  readonly trajectory: Trajectory;
  readonly verdict: Verdict;
  /** [turns], from the trainer's second networks. */
  readonly modelScores?: Float32Array;
}
export interface JudgedGroup {
  readonly groupId: string;
  readonly members: readonly Judged[];
}

/** @returns [groups][G] */
export type RewardSource<C> = (groups: readonly JudgedGroup[], config: C, rng: Rng) => Maybe<readonly (readonly TurnRewards[])[]>;

/** start + Σ(skill + luck) = outcome. */
export interface TruthTurns {
  /** V(h_0) */
  readonly start: number;
  /** [turns] each */
  readonly skill: Float32Array;
  readonly luck: Float32Array;
  /** [turns], of skill: how far the truth may lie from it. */
  readonly halfWidth: Float32Array;
}

export interface Scored extends Judged {
  readonly rewards: TurnRewards;
  /** [turns + 1], critic; last = bootstrap of a truncated episode. */
  readonly values?: Float32Array;
  /** [turns], implicit step rewards. */
  readonly stepScores?: Float32Array;
  /** Per sequence [L], critic: its output at the position before the token. */
  readonly tokenValues?: readonly Float32Array[];
  /** Per sequence [L], nats over the legal tokens: log-probabilities under the implicit scorer, and under the policy it started as. */
  readonly tokenScores?: readonly Float32Array[];
  readonly tokenReferences?: readonly Float32Array[];
  /** [turns][K] undiscounted returns, from that turn on, of fresh continuations out of a snapshot; K may differ and be 0. */
  readonly branchReturns?: readonly Float32Array[];
  readonly truth?: TruthTurns;
}
export interface ScoredGroup {
  readonly groupId: string;
  readonly members: readonly Scored[];
}

/**
 * Credit of one trajectory: per turn, or per token of each sequence (0 where not sampled). `targets`, shaped alike, is what a critic
 * is fitted to; without it that is the undiscounted return.
 */
export type Credit =
  | { readonly perTurn: Float32Array; readonly targets?: Float32Array }
  | { readonly perToken: readonly Float32Array[]; readonly targets?: readonly Float32Array[] };
export type Needs = "values" | "tokenValues" | "stepScores" | "tokenScores" | "tokenReferences" | "branchReturns" | "truth";

/** Pure. @returns [groups][G] */
export type CreditAssigner<C> = (groups: readonly ScoredGroup[], config: C, rng: Rng) => readonly (readonly Credit[])[];
