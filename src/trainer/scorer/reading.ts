import { FREE_STATE, type TokenSequence, type TokenSpan } from "#core/tokens.ts";
import type { Trajectory } from "#core/trajectory.ts";

/**
 * A sequence, longer by `tail`, in which exactly the tokens at `places` count as sampled: what a network says at the position before each
 * of them is read.
 */
export function readAt({ tokens, behaviorLogprobs, automatonStates }: TokenSequence, places: readonly number[], tail: readonly number[]): TokenSequence {
  const length = tokens.length + tail.length;
  const spans: TokenSpan[] = [];
  let from = 0;
  for (const place of [...places, length]) {
    if (place > from) spans.push({ start: from, end: place, role: "user", sampled: false });
    if (place < length) spans.push({ start: place, end: place + 1, role: "assistant", sampled: true });
    from = place + 1;
  }
  const [longer, logprobs, states] = [new Uint32Array(length), new Float32Array(length), new Uint16Array(length).fill(FREE_STATE)];
  longer.set(tokens);
  longer.set(tail, tokens.length);
  logprobs.set(behaviorLogprobs);
  states.set(automatonStates);
  return { tokens: longer, spans, behaviorLogprobs: logprobs, automatonStates: states };
}

/** Places of the sampled tokens of a sequence, in order. */
export const placesOf = ({ spans }: TokenSequence): number[] => spans.flatMap(({ start, end, sampled }) => (sampled ? Array.from({ length: end - start }, (_, index) => start + index) : []));

export const EMPTY: TokenSequence = { tokens: new Uint32Array(), spans: [], behaviorLogprobs: new Float32Array(), automatonStates: new Uint16Array() };

/** Copies cut to the trajectory's own sequences: what was read past their ends is left off. */
export const cutTo = ({ sequences }: Trajectory, values: readonly Float32Array[]): Float32Array[] =>
  sequences.map(({ tokens }, index) => (values[index] ?? new Float32Array(tokens.length)).slice(0, tokens.length));
