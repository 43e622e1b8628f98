import type { TokenSequence } from "./tokens.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Structured content; the harness renders it to tokens. */
export interface Observation {
  readonly kind: string;
  readonly content: Json;
}

/** A parse failure is an action too: the environment never sees it, the harness answers it. */
export type Action =
  | { readonly kind: "tool"; readonly name: string; readonly args: Readonly<Record<string, Json>> }
  | { readonly kind: "reply"; readonly text: string }
  | { readonly kind: "malformed"; readonly raw: string; readonly reason: string };

/** A sub-goal reached or an error made: what shaped rewards may pay for. */
export interface TurnEvent {
  readonly id: string;
  readonly weight: number;
}

export interface Turn {
  /** Index into the trajectory's sequences; `start` and `end` delimit the tokens sampled in this turn. */
  readonly sequence: number;
  readonly start: number;
  readonly end: number;
  /** Groups turns that acted on the same observation. */
  readonly anchorKey: string;
  readonly action: Action;
  /** What came back. */
  readonly observation: Observation;
  readonly events: readonly TurnEvent[];
}

export type Ending = "terminated" | "truncated" | "failed";

export interface Trajectory {
  readonly taskId: string;
  readonly groupId: string;
  readonly policyVersion: number;
  readonly sequences: readonly TokenSequence[];
  readonly first: Observation;
  readonly turns: readonly Turn[];
  readonly ending: Ending;
}

export interface SeenStep {
  readonly action: Action;
  readonly observation: Observation;
}
