export type SpanRole = "system" | "user" | "tool" | "assistant";

export interface TokenSpan {
  /** Half-open range, in tokens of its sequence. */
  readonly start: number;
  readonly end: number;
  readonly role: SpanRole;
  /** True where the policy wrote the tokens. */
  readonly sampled: boolean;
}

/** Exactly one context the policy saw. Invariant: spans tile tokens. */
export interface TokenSequence {
  readonly tokens: Uint32Array;
  readonly spans: readonly TokenSpan[];
  /** [L] nats over the legal tokens; 0 where not sampled. */
  readonly behaviorLogprobs: Float32Array;
  /** [L] automaton state before each sampled token; FREE_STATE where not sampled or unconstrained. */
  readonly automatonStates: Uint16Array;
}

/** The state in which every token of the vocabulary is legal and only the end token ends the action. */
export const FREE_STATE = 0;
/** In `TokenAutomaton.next`: the action is complete. */
export const ACCEPT = 0xfffe;
/** In `TokenAutomaton.next`: the token is not legal in this state. */
export const ILLEGAL = 0xffff;

/** Deterministic automaton over token ids: which tokens may come next while an action is written. */
export interface TokenAutomaton {
  readonly vocabularySize: number;
  readonly states: number;
  /** [states × vocabularySize] next state, ACCEPT or ILLEGAL; row FREE_STATE is the unconstrained one. */
  readonly next: Uint16Array;
  readonly startState: number;
  readonly endToken: number;
}
