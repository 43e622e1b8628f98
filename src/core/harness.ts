import type { Rng } from "./chance.ts";
import type { ToolSchema } from "./environment.ts";
import type { TokenAutomaton, TokenSpan } from "./tokens.ts";
import type { Action, Observation, SeenStep } from "./trajectory.ts";

export interface Budget {
  readonly turns: number;
  /** Tokens of one sequence; the policy's context length at most. */
  readonly tokens: number;
  /** Malformed actions tolerated in an episode before it is truncated. */
  readonly retries: number;
}

/** Token ids and their words; ids are positions. */
export interface Vocabulary {
  readonly words: readonly string[];
  /** @throws HarnessError for a word that is not in the vocabulary. */
  id(word: string): number;
}

/** Wording drawn once per episode: which of the equivalent markers and error words this episode uses. */
export interface Wording {
  readonly variant: number;
}

export interface Rendered {
  readonly tokens: Uint32Array;
  readonly spans: readonly TokenSpan[];
}

/** How a transcript becomes tokens and sampled tokens become an action. Pure. */
export interface Harness {
  readonly id: string;
  readonly vocabulary: Vocabulary;
  readonly automaton: TokenAutomaton;
  readonly tools: readonly ToolSchema[];
  /** Whether every context extends the one before it, so that a trajectory is one sequence. */
  readonly wholeHistory: boolean;
  wording(rng: Rng, vary: boolean): Wording;
  /** The context at the start of a turn: a function of what was seen and of the wording, nothing else. */
  context(first: Observation, seen: readonly SeenStep[], wording: Wording): Rendered;
  parse(sampled: Uint32Array): Action;
  /** The answer to a malformed action. */
  malformed(action: Extract<Action, { kind: "malformed" }>): Observation;
}
