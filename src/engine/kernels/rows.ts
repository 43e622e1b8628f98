import type { Rng } from "#core/chance.ts";
import { drawIndex } from "#core/rng.ts";

/**
 * Layout of a row record (u32 × ROW_FIELDS): one token of one sequence.
 * `keyStart` is the key row of the sequence's first token; the row's own key lies at keyStart + position, and it sees
 * position + 1 keys. `END` is the first row after the sequence while training, the request's index while sampling.
 */
export const ROW_FIELDS = 8;
export const ROW = { TOKEN: 0, PREVIOUS: 1, POSITION: 2, KEY_START: 3, END: 4, STATE: 5, COUNT: 6, DONE: 7 } as const;

/** Width of one attention head. */
export const HEAD_WIDTH = 16;
/** Weight gradients are summed in this many shards of rows, whatever the number of threads. */
export const SHARDS = 8;

/** Packed training rows of sequences of the given lengths, for kernel cases. */
export function packedRows(rng: Rng, lengths: readonly number[], vocabulary: number): Uint32Array<ArrayBuffer> {
  const rows: number[] = [];
  let start = 0;
  for (const length of lengths) {
    let previous = 0;
    for (let position = 0; position < length; position += 1) {
      const token = drawIndex(rng, vocabulary);
      rows.push(token, previous, position, start, start + length, 0, 0, 0);
      previous = token;
    }
    start += length;
  }
  return Uint32Array.from(rows);
}

/** Shard boundaries (SHARDS + 1) that split `rows` as evenly as whole rows allow. */
export const evenShards = (rows: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: SHARDS + 1 }, (_, shard) => Math.floor((rows * shard) / SHARDS));
