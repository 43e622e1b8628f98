import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { RewardConfig } from "#algorithms/rewards/registry.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import type { Recording } from "./recording.ts";
import type { MemberRecord } from "./run-event.ts";

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
  /** The m of "exact ±m": V and Q each lie within it. */
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
  /** [G][turns] what each turn was paid, the terminal reward with the last. */
  | { readonly kind: "rewards"; readonly rewards: readonly (readonly number[])[] }
  /** [G][turns] mean return of the continuations from before each turn, and how many there were. */
  | { readonly kind: "continuations"; readonly means: readonly (readonly number[])[]; readonly counts: readonly (readonly number[])[] };

/** What a scheme pays each turn of one group. */
export interface CreditRow {
  readonly id: CreditId;
  /** The settings it was computed with. */
  readonly config: CreditConfig;
  /** Where the rewards came from: the run's own source, or the shaped one where a scheme lives on what turns are paid and the run pays none. */
  readonly reward: RewardConfig["id"];
  /** [G][turns]; a scheme that pays tokens is summed over the turn's tokens. */
  readonly credits: readonly (readonly number[])[];
  /** Whether credits are such sums. */
  readonly summed: boolean;
}

/** The same with what it rests on and what it took. */
export interface SchemeCredit extends CreditRow {
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
  /** Groups that all three are over: the newest that were measured, up to 24. Which they are depends on what was looked at, and on how quick the machine is. */
  readonly groups: number;
}

/** What was found out about one group beyond what the run itself needed. */
export interface Assessment {
  readonly update: number;
  readonly groupId: string;
  readonly truth: GroupTruth;
  readonly schemes: readonly SchemeCredit[];
}

/** Where a group is to be found: among the newest batches of the run, or, before anything runs, played again from a recording's numbers. */
export type GroupSource = { readonly kind: "run" } | { readonly kind: "recording"; readonly recording: RecordedFrom };
/** What a recorded group can be sampled again from. */
export type RecordedFrom = Pick<Recording, "preset" | "seed" | "task" | "attempts">;

export interface AssessRequest {
  readonly source: GroupSource;
  readonly groupId: string;
  readonly given: GroupTruth["given"];
  /** Rows wanted beside truth, each with its defaults; the scheme trained with is among them with its own settings. */
  readonly schemes: readonly CreditId[];
}

/** An assessment and what the ones so far, it included, say of the scheme trained with. */
export interface Assessed {
  readonly assessment: Assessment;
  readonly meters: CreditMeters;
}

/** A turn of a trajectory that may be gone on from differently. */
export interface TurnPlace {
  readonly source: GroupSource;
  readonly groupId: string;
  readonly member: number;
  readonly turn: number;
}

/** What could have been there, with what probability, the likeliest first. */
export interface ForkOptions {
  /** Whole actions under the policy that sampled the turn; the one taken is among them. */
  readonly actions: readonly { readonly action: Action; readonly probability: number }[];
  /** What the environment may answer to the action taken, given the history; what it did answer is among them. */
  readonly answers: readonly { readonly observation: Observation; readonly probability: number }[];
}

export interface ForkRequest extends TurnPlace {
  /** Another action in place of the turn's, or, to the same action, another answer. */
  readonly edit: { readonly kind: "action"; readonly action: Action } | { readonly kind: "answer"; readonly observation: Observation };
  /** state: the episode goes on as it was behind the scenes; history: each continuation meets one of the ways things may be. */
  readonly given: GroupTruth["given"];
  /** Continuations, 1 to 256, each with its own chance. */
  readonly count: number;
}

export interface ForkResult {
  readonly request: ForkRequest;
  /** Continuations that did not fail, and how many of them succeeded; the 95 % interval is Wilson's. */
  readonly count: number;
  readonly successes: number;
  readonly interval: readonly [number, number];
  /** The first few in full, from the first turn of the trajectory on; turns before the fork pay no credit. */
  readonly records: readonly MemberRecord[];
}
