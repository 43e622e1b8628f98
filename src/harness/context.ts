import { HarnessError } from "#core/errors.ts";
import type { Vocabulary, Wording } from "#core/harness.ts";
import { FREE_STATE, type SpanRole, type TokenSequence, type TokenSpan } from "#core/tokens.ts";
import type { Json, Observation } from "#core/trajectory.ts";
import { MALFORMED } from "./action-parser.ts";
import { BEGIN, MARKERS, WORDINGS, type Marker } from "./vocabulary.ts";

export interface RenderedObservation {
  readonly tokens: readonly number[];
  readonly role: SpanRole;
}

/** How the environment's side of a transcript becomes tokens. */
export interface Renderer {
  /**
   * One marker, then every leaf of the content in insertion order; keys are not written, text is split at spaces. The marker is
   * `<begin> <system>` for the first observation, `<error>` for the kinds "error" and "malformed", `<user>` for "user", the
   * kind itself where the environment lists it among its words, `<tool>` otherwise.
   * @throws HarnessError for a word that is not in the vocabulary.
   */
  observation(observation: Observation, wording: Wording, first: boolean): RenderedObservation;
  /** The one token that asks for an action. */
  ask(wording: Wording): number;
}

export function createRenderer(vocabulary: Vocabulary, environmentWords: readonly string[]): Renderer {
  const begin = vocabulary.id(BEGIN);
  const wordIds = new Map(environmentWords.map((word) => [word, vocabulary.id(word)]));
  const wordings = (name: Marker): readonly number[] => MARKERS[name].map((word) => vocabulary.id(word));
  const markerIds: Readonly<Record<Marker, readonly number[]>> = {
    system: wordings("system"), user: wordings("user"), tool: wordings("tool"), assistant: wordings("assistant"), error: wordings("error"),
  };
  const marker = (name: Marker, { variant }: Wording): number => {
    const id = markerIds[name][variant];
    if (id === undefined) throw new HarnessError(`a wording is one of 0..${WORDINGS - 1}, got ${variant}`, { variant });
    return id;
  };

  const appendLeaves = (content: Json, tokens: number[]): void => {
    if (content !== null && typeof content === "object") {
      for (const part of Object.values(content)) appendLeaves(part as Json, tokens);
      return;
    }
    const text = String(content);
    if (text.includes(" ")) for (const word of text.split(" ")) tokens.push(vocabulary.id(word));
    else if (text !== "") tokens.push(vocabulary.id(text));
  };
  const opening = (kind: string, wording: Wording): number => {
    if (kind === "error" || kind === MALFORMED) return marker("error", wording);
    if (kind === "user") return marker("user", wording);
    return wordIds.get(kind) ?? marker("tool", wording);
  };
  return {
    observation({ kind, content }, wording, first) {
      const tokens = first ? [begin, marker("system", wording)] : [opening(kind, wording)];
      appendLeaves(content, tokens);
      return { tokens, role: first ? "system" : kind === "user" ? "user" : "tool" };
    },
    ask: (wording) => marker("assistant", wording),
  };
}

/** A sequence being written: tokens only ever get appended, and the spans tile them. */
export class Transcript {
  #tokens: Uint32Array;
  #logprobs: Float32Array;
  #states: Uint16Array;
  #length = 0;
  readonly #spans: TokenSpan[] = [];

  constructor(capacity = 64) {
    this.#tokens = new Uint32Array(capacity);
    this.#logprobs = new Float32Array(capacity);
    this.#states = new Uint16Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  get spans(): readonly TokenSpan[] {
    return this.#spans;
  }

  /** A view, not a copy: what it shows stays as it is while the transcript grows. */
  view(): Uint32Array {
    return this.#tokens.subarray(0, this.#length);
  }

  append(tokens: ArrayLike<number>, role: SpanRole): void {
    this.#write(tokens, role, false);
  }

  /** What the policy wrote, with its log-probability and automaton state per token. */
  appendSampled(tokens: ArrayLike<number>, logprobs: ArrayLike<number>, automatonStates: ArrayLike<number>): void {
    const start = this.#length;
    this.#write(tokens, "assistant", true);
    this.#logprobs.set(logprobs, start);
    this.#states.set(automatonStates, start);
  }

  sequence(): TokenSequence {
    const length = this.#length;
    return {
      tokens: this.#tokens.slice(0, length),
      spans: [...this.#spans],
      behaviorLogprobs: this.#logprobs.slice(0, length),
      automatonStates: this.#states.slice(0, length),
    };
  }

  #write(tokens: ArrayLike<number>, role: SpanRole, sampled: boolean): void {
    const start = this.#length;
    const end = start + tokens.length;
    if (end === start) return;
    if (end > this.#tokens.length) this.#grow(Math.max(end, 2 * this.#tokens.length));
    this.#tokens.set(tokens, start);
    this.#states.fill(FREE_STATE, start, end);
    this.#spans.push({ start, end, role, sampled });
    this.#length = end;
  }

  /** Old views keep the old memory. */
  #grow(capacity: number): void {
    const { tokens, behaviorLogprobs, automatonStates } = this.sequence();
    this.#tokens = new Uint32Array(capacity);
    this.#logprobs = new Float32Array(capacity);
    this.#states = new Uint16Array(capacity);
    this.#tokens.set(tokens);
    this.#logprobs.set(behaviorLogprobs);
    this.#states.set(automatonStates);
  }
}
