import type { Rng } from "#core/chance.ts";
import type { TrainBatch } from "#core/objective.ts";
import { drawIndex } from "#core/rng.ts";
import { ACCEPT, ILLEGAL, type TokenAutomaton } from "#core/tokens.ts";
import type { ModelConfig } from "#engine/model.ts";

/** 13 tokens: pad, end, five verbs, six arguments. State 0 is free, 1 starts an action, 2 wants an argument, 3 the end. */
export const AUTOMATON: TokenAutomaton = (() => {
  const vocabularySize = 13;
  const next = new Uint16Array(4 * vocabularySize).fill(ILLEGAL);
  for (let token = 1; token < vocabularySize; token += 1) next[token] = token === 1 ? ACCEPT : 0;
  for (let verb = 2; verb < 7; verb += 1) next[vocabularySize + verb] = verb % 2 === 0 ? 2 : 3;
  for (let argument = 7; argument < 13; argument += 1) next[2 * vocabularySize + argument] = 3;
  next[3 * vocabularySize + 1] = ACCEPT;
  return { vocabularySize, states: 4, next, startState: 1, endToken: 1 };
})();

export const TINY: ModelConfig = { layers: 2, width: 32, context: 32, vocabulary: 13, valueHead: false };

const legalTokens = (state: number): readonly number[] =>
  Array.from({ length: 13 }, (_, token) => token).filter((token) => AUTOMATON.next[state * 13 + token] !== ILLEGAL);

/** Sequences of the given lengths with about half of the tokens sampled, legal in their states. */
export function randomBatch(rng: Rng, lengths: readonly number[]): TrainBatch {
  const length = Math.max(...lengths);
  const size = lengths.length * length;
  const batch = {
    rows: lengths.length, length, lengths: Uint32Array.from(lengths), tokens: new Uint32Array(size), mask: new Uint8Array(size),
    automatonStates: new Uint16Array(size), trajectoryOfRow: Uint32Array.from(lengths, (_, row) => row),
    advantages: new Float32Array(size), behaviorLogprobs: new Float32Array(size), pairs: [],
  };
  for (const [row, count] of lengths.entries())
    for (let position = 0; position < count; position += 1) {
      const at = row * length + position;
      batch.tokens[at] = 1 + drawIndex(rng, 12);
      if (position === 0 || rng.next() < 0.5) continue;
      const state = drawIndex(rng, 4);
      const options = legalTokens(state);
      batch.mask[at] = 1;
      batch.automatonStates[at] = state;
      batch.tokens[at] = options[drawIndex(rng, options.length)] ?? 0;
      batch.advantages[at] = rng.next() * 2 - 1;
      batch.behaviorLogprobs[at] = -rng.next() * 2;
    }
  return batch;
}
