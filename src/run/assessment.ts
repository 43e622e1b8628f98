import type { CreditConfig } from "#algorithms/credit/registry.ts";

export type CreditId = CreditConfig["id"];

/** Truth of one turn: V(h), Q(h, a) and π(a|h) under the policy that sampled it, and how they came about. */
export interface TurnTruth {
  /** Q(h, a) − V(h) */
  readonly skill: number;
  /** V(h′) − Q(h, a) */
  readonly luck: number;
  /** Of skill: how far the truth may lie from it. */
  readonly halfWidth: number;
  readonly value: number;
  readonly actionValue: number;
  readonly probability: number;
  readonly kind: "exact" | "branched";
  /** Worlds it rests on: all where exact. */
  readonly worlds: number;
  /** The m of "exact ±m". */
  readonly unexplored: number;
}

/** start + Σ(skill + luck) = 1 for a success, else 0. */
export interface MemberTruthRecord {
  readonly start: number;
  readonly startHalfWidth: number;
  readonly turns: readonly TurnTruth[];
}

export interface GroupTruth {
  /** Given the history the policy saw, or, as a second view that pays lucky guesses, given the hidden state. */
  readonly given: "history" | "state";
  readonly form: "quick" | "full";
  /** [G], null for a failed rollout. */
  readonly members: readonly (MemberTruthRecord | null)[];
}

/** Numbers a scheme rests on, for the formula filled in. */
export type CreditBasis =
  /** [G][turns + 1] V before each turn; the last is what a truncated episode is bootstrapped with. */
  | { readonly kind: "values"; readonly values: readonly (readonly number[])[] }
  /** [G][turns] log-probability of the action under the scorer and under what it is compared with, nats. */
  | { readonly kind: "log-ratio"; readonly scorer: readonly (readonly number[])[]; readonly reference: readonly (readonly number[])[] }
  /** [G][turns] mean return of the continuations from before each turn, and how many there were. */
  | { readonly kind: "continuations"; readonly means: readonly (readonly number[])[]; readonly counts: readonly (readonly number[])[] };

/** What a scheme pays each turn of one group. */
export interface SchemeCredit {
  readonly id: CreditId;
  /** [G][turns]; a scheme that pays tokens is summed over the turn's tokens. */
  readonly credits: readonly (readonly number[])[];
  /** Whether credits are such sums. */
  readonly summed: boolean;
  /** What it took beyond the trajectories themselves, for the whole group. */
  readonly cost: { readonly steps: number; readonly tokens: number };
  /** What it was fitted to, in words; null where nothing is learnt. */
  readonly fitted: string | null;
  readonly basis: CreditBasis | null;
}

/** A share with its count: null below 20, or where there is nothing to count. */
export interface CountedShare {
  readonly share: number | null;
  readonly count: number;
}

/** How credit of the scheme trained with compares with skill, over what was assessed so far. */
export interface CreditMeters {
  /** Turns whose interval of skill excludes zero and whose credit has the other sign. */
  readonly wrongSign: CountedShare;
  /** Asking turns with skill above zero, interval excluding zero, that are paid less than zero. */
  readonly goodQuestionsPunished: CountedShare;
  /** Cosine of the gradient under the scheme with the gradient under skill; null while a gradient is zero. */
  readonly gradientCosine: number | null;
}

/** What was found out about one group beyond what the run itself needed. */
export interface Assessment {
  readonly update: number;
  readonly groupId: string;
  readonly truth: GroupTruth;
  readonly schemes: readonly SchemeCredit[];
}
