import type { TrainBatch } from "#core/objective.ts";
import type { TokenAutomaton } from "#core/tokens.ts";
import type { Problem } from "./problem.ts";

/** Everything is legal at any time. */
export const anything = (vocabulary: number): TokenAutomaton => ({ vocabularySize: vocabulary, states: 1, next: new Uint16Array(vocabulary), startState: 0, endToken: 0 });

export function batchOf({ batch: rows, model: { context }, tokens }: Problem): TrainBatch {
  const length = context + 1;
  const size = rows * length;
  return {
    rows, length, tokens,
    lengths: new Uint32Array(rows).fill(length),
    mask: Uint8Array.from(tokens, (_, index) => (index % length === 0 ? 0 : 1)),
    automatonStates: new Uint16Array(size),
    trajectoryOfRow: Uint32Array.from({ length: rows }, (_, row) => row),
    advantages: new Float32Array(size),
    behaviorLogprobs: new Float32Array(size),
    pairs: [],
  };
}
