import type { Rng } from "#core/chance.ts";
import { drawIndex } from "#core/rng.ts";
import { randomFloats } from "../kernel.ts";

/** Layout of a row of `stats` (f32 × STATS_FIELDS). */
export const STATS_FIELDS = 4;
export const STATS = { LOGPROB: 0, ENTROPY: 1, NORMALISER: 2 } as const;
/** Layout of a row of `coefficients` (f32 × 4): what the loss's gradient is made of, and the exact KL it needs. */
export const COEFFICIENT_FIELDS = 4;
export const COEFFICIENT = { LOGPROB: 0, ENTROPY: 1, KL: 2, KL_VALUE: 3 } as const;

/** Whether a token is legal in `state`, from legal[state, words] bits. */
export const legality =
  (legal: Uint32Array, words: number, state: number) =>
  (token: number): boolean =>
    (((legal[state * words + (token >>> 5)] ?? 0) >>> (token & 31)) & 1) === 1;

/** Three automaton states over an odd vocabulary: all legal, every third, exactly one. */
const vocabulary = 37;
const words = 2;
const legal = new Uint32Array(3 * words);
for (let token = 0; token < vocabulary; token += 1) {
  const set = (state: number): void => {
    const at = state * words + (token >>> 5);
    legal[at] = ((legal[at] ?? 0) | (1 << (token & 31))) >>> 0;
  };
  set(0);
  if (token % 3 === 1) set(1);
  if (token === 34) set(2);
}
export const LEGAL_CASE = { vocabulary, stride: 40, words, states: 3, legal } as const;
const LEGAL_TOKENS = [[...Array(vocabulary).keys()], [...Array(vocabulary).keys()].filter((token) => token % 3 === 1), [34]] as const;

/** Logits whose illegal entries are huge: a kernel that reads them is found out. */
export function legalLogits(rng: Rng, rows: number): Float32Array<ArrayBuffer> {
  const logits = randomFloats(rng, rows * LEGAL_CASE.stride, 4);
  for (let row = 0; row < rows; row += 1)
    for (let token = 0; token < LEGAL_CASE.stride; token += 1)
      if (token >= vocabulary || !legality(legal, words, row % 3)(token)) logits[row * LEGAL_CASE.stride + token] = 1e30;
  return logits;
}

/** Row r is in state r mod 3 and asks for one of its legal tokens. */
export function targetRows(rng: Rng, rows: number): Uint32Array<ArrayBuffer> {
  const targets = new Uint32Array(rows * 2);
  for (let row = 0; row < rows; row += 1) {
    const options = LEGAL_TOKENS[row % 3] ?? [];
    targets[row * 2] = options[drawIndex(rng, options.length)] ?? 0;
    targets[row * 2 + 1] = row % 3;
  }
  return targets;
}
