import { FREE_STATE, type TokenSequence, type TokenSpan } from "#core/tokens.ts";
import type { Trajectory, Turn } from "#core/trajectory.ts";

/** A turn as it went after the fork. */
export interface ForkedTurn extends Pick<Turn, "action" | "observation" | "events"> {
  /** The action as it is written; not sampled where somebody chose it. */
  readonly tokens: Uint32Array;
  readonly sampled: boolean;
}

const clipped = (spans: readonly TokenSpan[], from: number, to: number): TokenSpan[] =>
  spans.flatMap((span) => (span.start < to && span.end > from ? [{ ...span, start: Math.max(span.start, from), end: Math.min(span.end, to) }] : []));

/** The turn's context, its action, and what `rest` has behind them. */
function joined(own: TokenSequence, { start, end: ownEnd }: Turn, { tokens, sampled }: ForkedTurn, rest: TokenSequence | undefined): TokenSequence {
  const end = start + tokens.length;
  const length = Math.max(end, rest?.tokens.length ?? 0);
  const kept = sampled ? ownEnd : start;
  const sequence: TokenSequence = {
    tokens: new Uint32Array(length),
    behaviorLogprobs: new Float32Array(length),
    automatonStates: new Uint16Array(length).fill(FREE_STATE),
    spans: [...clipped(own.spans, 0, start), { start, end, role: "assistant", sampled }, ...clipped(rest?.spans ?? [], end, length)],
  };
  sequence.tokens.set(own.tokens.subarray(0, start));
  sequence.tokens.set(tokens, start);
  sequence.behaviorLogprobs.set(own.behaviorLogprobs.subarray(0, kept));
  sequence.automatonStates.set(own.automatonStates.subarray(0, kept));
  if (rest === undefined) return sequence;
  sequence.tokens.set(rest.tokens.subarray(end), end);
  sequence.behaviorLogprobs.set(rest.behaviorLogprobs.subarray(end), end);
  sequence.automatonStates.set(rest.automatonStates.subarray(end), end);
  return sequence;
}

/**
 * The trajectory up to a turn, that turn as it went after the fork, and what came of it, as one trajectory.
 * @param after the continuation; without turns where the episode ended with the fork
 * @param wholeHistory whether the continuation's one sequence starts with all that was seen
 */
export function spliced(before: Trajectory, at: number, forked: ForkedTurn, after: Trajectory, wholeHistory: boolean): Trajectory {
  const turn = before.turns[at];
  const own = turn && before.sequences[turn.sequence];
  if (!own) throw new RangeError(`the trajectory has ${before.turns.length} turns, asked for turn ${at + 1}`);
  const { action, observation, events } = forked;
  const { start, sequence, anchorKey } = turn;
  const here = { sequence, start, end: start + forked.tokens.length, anchorKey, action, observation, events };
  const cut = joined(own, turn, forked, wholeHistory ? after.sequences[0] : undefined);
  const rest = wholeHistory ? [] : after.sequences;
  const later = after.turns.map((next) => ({ ...next, sequence: wholeHistory ? sequence : sequence + 1 + next.sequence }));
  return { ...after, sequences: [...before.sequences.slice(0, sequence), cut, ...rest], turns: [...before.turns.slice(0, at), here, ...later] };
}
