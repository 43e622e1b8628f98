import type { Arithmetic } from "#core/policy.ts";
import type { Split } from "#core/environment.ts";
import type { Action, Ending, Json, Observation } from "#core/trajectory.ts";
import type { CreditRow } from "./assessment.ts";
import type { WeightMark } from "./fingerprint.ts";
import type { RunConfig } from "./run-config.ts";
import type { WireError } from "./wire-error.ts";

/** Wall-clock values live only under `timing`: without them two runs of one seed are identical. */
export interface Timing {
  readonly seconds: number;
}

export interface TokenRecord {
  readonly word: string;
  readonly sampled: boolean;
  /** Nats over the legal tokens, under the policy that sampled it; 0 where not sampled. */
  readonly logprob: number;
  /** Where there was a choice: the likeliest legal tokens with their log-probabilities, falling; the sampled one is among them. */
  readonly alternatives?: readonly { readonly word: string; readonly logprob: number }[];
}

export interface TurnRecord {
  /** Range in the member's tokens. */
  readonly start: number;
  readonly end: number;
  readonly action: Action;
  readonly observation: Observation;
  readonly events: readonly string[];
  /** Credit of this turn under the scheme trained with. */
  readonly credit: number;
  readonly reward: number;
  /** Equal for turns that acted on the same state, as far as the policy could know it. */
  readonly anchorKey: string;
  /** What the environment's hidden state was after the turn, as a person may look at it. */
  readonly stateAfter: Json;
}

export interface MemberRecord {
  readonly reward: number;
  readonly success: boolean;
  readonly ending: Ending;
  readonly checks: Readonly<Record<string, boolean>>;
  readonly monitors: readonly string[];
  /** The hidden state before the first turn. */
  readonly stateBefore: Json;
  /** One list a sequence. */
  readonly sequences: readonly (readonly TokenRecord[])[];
  readonly turns: readonly (TurnRecord & { readonly sequence: number })[];
}

export interface GroupRecord {
  readonly groupId: string;
  readonly taskId: string;
  readonly first: Observation;
  readonly members: readonly MemberRecord[];
  /** False when all rewards are equal: the group pays no credit. */
  readonly informative: boolean;
  /** Where dynamic sampling drew it: the round, counted from 1, and the place in it. Absent for what was drawn at first, whose place `groupId` ends with. */
  readonly redrawn?: { readonly round: number; readonly index: number };
  /** What schemes pay: the one trained with first, as computed on the whole batch that the group is one of, then those that cost nothing. */
  readonly credits: readonly CreditRow[];
}

export interface UpdateMetrics {
  /** Mean reward and mean strict success of the freshly sampled trajectories. */
  readonly reward: number;
  readonly success: number;
  readonly trajectories: number;
  /** Tokens of all sequences, sampled or read. */
  readonly tokens: number;
  readonly sampledTokens: number;
  readonly failed: number;
  readonly turns: number;
  /** Malformed or refused calls per trajectory. */
  readonly errors: number;
  readonly truncatedShare: number;
  /** Share of the sampled groups whose rewards are all 0, and of those in which no turn got credit: under group-relative schemes, those whose rewards are all equal. */
  readonly allZeroShare: number;
  readonly noSignalShare: number;
  /** Mean over groups of the population standard deviation of rewards. */
  readonly rewardSpread: number;
  /** Means over minibatches; null when no group had signal, or where the objective has no such measure. */
  readonly loss: number | null;
  readonly gradNorm: number | null;
  readonly clipFraction: number | null;
  /** Mean k3 estimate of KL(behaviour ‖ current) over sampled tokens, before each step. */
  readonly kl: number | null;
  /** Nats per sampled token over the legal tokens. */
  readonly entropy: number | null;
  readonly learningRate: number;
  /** What the credit scheme took beyond the trajectories: calls of the environment, and tokens sampled or read again. */
  readonly extraSteps: number;
  readonly extraTokens: number;
}

export interface EvaluationReport {
  readonly split: Split;
  readonly tasks: number;
  readonly trials: number;
  /** Of `trials`, for each task. */
  readonly successes: readonly number[];
  /** k = 1..min(8, trials) */
  readonly passHatK: readonly number[];
  readonly passAtK: readonly number[];
  /** 95 % bootstrap intervals over tasks, per k. */
  readonly passHatKInterval: readonly (readonly [number, number])[];
  readonly passAtKInterval: readonly (readonly [number, number])[];
  /** Success of greedy decoding, one trial a task; null where it was not asked for. */
  readonly greedy: number | null;
  /** Share of trajectories that passed each named check, and that fired each monitor. */
  readonly checks: Readonly<Record<string, number>>;
  readonly monitors: Readonly<Record<string, number>>;
  readonly meanTurns: number;
  readonly failed: number;
}

/** Who was evaluated: reference rows of the reliability chart beside the policy being trained. */
export type Subject = "current" | "base" | "prompted";

export type RunEvent =
  | {
      readonly type: "run-started";
      readonly version: 1;
      readonly config: RunConfig;
      readonly arithmetic: Arithmetic;
      readonly parameters: number;
      readonly vocabulary: number;
      /** FNV-1a of the starting weights' bits, hexadecimal. */
      readonly fingerprint: string;
    }
  /** What comes after `update` is computed under other settings; told before anything of it. */
  | { readonly type: "settings-changed"; readonly update: number; readonly config: RunConfig }
  | { readonly type: "group"; readonly update: number; readonly group: GroupRecord }
  | {
      readonly type: "update";
      readonly update: number;
      readonly metrics: UpdateMetrics;
      /** How the weights stand then; of every update that `markUpdates` names. */
      readonly mark?: WeightMark;
      readonly timing: Timing & { readonly rollout: number; readonly learn: number };
    }
  | {
      readonly type: "evaluation";
      readonly update: number;
      readonly subject: Subject;
      readonly report: EvaluationReport;
      readonly timing: Timing;
    }
  | { readonly type: "checkpoint"; readonly update: number; readonly fingerprint: string }
  | { readonly type: "device-lost"; readonly update: number; readonly message: string }
  | { readonly type: "run-failed"; readonly update: number; readonly error: WireError }
  | {
      readonly type: "run-finished";
      readonly updates: number;
      readonly trajectories: number;
      readonly tokens: number;
      readonly heldout: EvaluationReport;
      readonly shifted: EvaluationReport;
      readonly timing: Timing;
    };

/** Where the events end that an update's own is the last of; 0 where that is not among them. */
export const endOfUpdate = (events: readonly RunEvent[], update: number): number =>
  events.findLastIndex((event) => event.type === "update" && event.update === update) + 1;
