import type { Rng } from "./chance.ts";
import type { Action, Ending, Json, Observation, SeenStep, TurnEvent } from "./trajectory.ts";

export type Split = "train" | "heldout" | "shifted";
export interface Task {
  readonly id: string;
  readonly split: Split;
}

/** `parameters` is a JSON schema of an object whose properties are enumerated words, in the order they are written. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolParameters;
  readonly mutates: boolean;
}
export interface ToolParameters {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly type: "string"; readonly description: string; readonly enum: readonly string[] }>>;
  readonly required: readonly string[];
}

export interface Outcome<S> {
  readonly probability: number;
  readonly state: S;
  readonly observation: Observation;
  readonly terminated: boolean;
  readonly events: readonly TurnEvent[];
}

/** One way things may be behind what was seen; `task` is what it would have been. Probabilities sum to 1. */
export interface World<T extends Task, S> {
  readonly probability: number;
  readonly task: T;
  readonly state: S;
}

/** What an episode has been so far: enough to go on from anywhere (fork, rewind, expansion, branching). */
export interface History<S> {
  readonly first: Observation;
  readonly seen: readonly SeenStep[];
  readonly state: S;
}

/** Await only promises: most environments are synchronous. */
export type Maybe<T> = T | Promise<T>;

export interface Verdict {
  /** The strict verdict; weaker verifiers are checks. */
  readonly success: boolean;
  readonly checks: readonly { readonly name: string; readonly passed: boolean; readonly weight: number }[];
  /** Shown, never rewarded. */
  readonly monitors: readonly { readonly name: string; readonly fired: boolean }[];
}

/** What a person did on a task, from its start to its end. */
export interface OwnDemonstration<T extends Task> {
  readonly task: T;
  readonly actions: readonly Action[];
}

export interface Environment<C, T extends Task, S> {
  readonly id: string;
  readonly tools: readonly ToolSchema[];
  /** Names of tools that belong to the vocabulary and are not offered under the settings: an agent cannot call them. None where absent. */
  readonly withheld?: readonly string[];
  /** Every word an observation or action may contain, beside tool names and parameter values. */
  readonly words: readonly string[];
  /** `count` distinct tasks; splits are disjoint by content. @throws TaskError when the configuration allows fewer. */
  tasks(config: C, split: Split, count: number, rng: Rng): readonly T[];
  reset(task: T): { readonly state: S; readonly observation: Observation };
  /** All that can happen, probabilities summing to 1; a step is a draw from it. State is immutable JSON-safe data. */
  outcomes(state: S, action: Action): Maybe<readonly Outcome<S>[]>;
  /**
   * Hidden states consistent with what the policy saw, under the task distribution of `config`; exhaustive = false when
   * sampled from `rng`. `task` is read only for what `first` and `seen` show.
   */
  worlds(
    config: C, task: T, first: Observation, seen: readonly SeenStep[], rng: Rng, limit: number,
  ): { readonly worlds: readonly World<T, S>[]; readonly exhaustive: boolean };
  /** The state acted on, as far as the policy could know it: turns with equal keys are comparable. */
  anchorKey(state: S, observation: Observation): string;
  /** Closed-loop scripted agent; skill 1 always succeeds, below 1 it errs on purpose. */
  demonstrator(task: T, rng: Rng, skill: number): (state: S, last: Observation) => Action;
  /**
   * Demonstrations by a person that the configuration carries, to be learnt from beside the demonstrator's.
   * @throws TaskError for the first that is none, with the reason.
   */
  plays?(config: C): readonly OwnDemonstration<T>[];
  /** Named scripted agents that bound what can be won without doing the job. Each sees only observations. */
  readonly baselines: Readonly<Record<string, ScriptedAgent>>;
  /** Pure: never touches what it judges, and needs no trajectory, so that expanded leaves can be judged too. */
  verdict(task: T, finalState: S, seen: readonly SeenStep[], ending: Ending): Maybe<Verdict>;
  /** What a person may look at: the database of a state, as the inspector shows it. */
  inspect(state: S): Json;
}

/** Starts an episode of a scripted agent that acts on observations alone. */
export type ScriptedAgent = (rng: Rng) => (last: Observation) => Action;

/** Runs source that nobody trusts, apart from everything else. */
export interface CodeRunner {
  /**
   * Evaluates `source` as a script in a fresh realm, then makes the calls in order. Equal arguments give equal results; what the code
   * does is answered, never thrown.
   * @param stepLimit of source and calls together, in the engine's steps (one a call or a jump, so about two a loop iteration), counted in
   * tens of thousands: a run that exceeds it stops at the same instruction every time.
   */
  run(source: string, calls: readonly CodeCall[], stepLimit: number): Promise<CodeResult>;
}
/** A function that `source` defines, by its name, with JSON arguments. */
export interface CodeCall {
  readonly name: string;
  readonly args: readonly Json[];
}
export interface CodeResult {
  /** `refused`: too long or too deeply nested to be read at all. `error`: `source` threw. After any but `ok`, later calls have no answer. */
  readonly ending: "ok" | "error" | "interrupted" | "memory" | "stack" | "refused";
  readonly answers: readonly CodeAnswer[];
  /** Of what went wrong; empty when nothing did. */
  readonly message: string;
}
/**
 * JSON values come as they are; what JSON cannot say (undefined, -0, NaN, a hole, a map) as an object whose first key is "$". `changed`:
 * whether the call altered its arguments.
 */
export type CodeAnswer =
  | { readonly kind: "value"; readonly value: Json; readonly changed: boolean }
  | { readonly kind: "threw"; readonly error: string };
export interface Services {
  readonly codeRunner: CodeRunner;
}
