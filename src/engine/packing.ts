import { PolicyError } from "#core/errors.ts";
import type { TrainBatch } from "#core/objective.ts";
import { NO_ROW } from "./kernels/gather-rows/index.ts";
import { aligned } from "./executor.ts";
import { ROW, ROW_FIELDS, SHARDS } from "./kernels/rows.ts";

/** Rows that go through all layers together: whole sequences, the first row where a buffer range may begin. */
export interface Chunk {
  readonly first: number;
  readonly count: number;
}

/** Chunks of rows that need nothing of each other. */
export const evenChunks = (rows: number, rowsAtOnce: number): readonly Chunk[] => {
  const size = Math.min(rows, aligned(rowsAtOnce));
  return Array.from({ length: Math.ceil(rows / size) }, (_, index) => ({ first: index * size, count: Math.min(size, rows - index * size) }));
};

/** Elements between the shard boundaries of one chunk and those of the next. */
export const CHUNK_STARTS = aligned(SHARDS + 1);

/** A batch without its padding: rows of all sequences one after the other, and which of them predict a sampled token. */
export interface PackedBatch {
  /** Of the row arrays; between two chunks there may be rows that nothing reads. */
  readonly rowCount: number;
  readonly pickCount: number;
  readonly chunks: readonly Chunk[];
  /** [rowCount, ROW_FIELDS]; key rows count from the first row of the chunk */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** [pickCount] row whose output predicts each sampled token */
  readonly pick: Uint32Array<ArrayBuffer>;
  /** [rowCount] inverse of `pick`, NO_ROW where a row predicts nothing trained on */
  readonly place: Uint32Array<ArrayBuffer>;
  /** [pickCount, 2] token and automaton state before it */
  readonly targets: Uint32Array<ArrayBuffer>;
  /** [pickCount] index into the batch's [rows × length] arrays */
  readonly origin: Uint32Array<ArrayBuffer>;
  /** [chunks, CHUNK_STARTS] boundaries within the chunk; sequence s of S belongs to shard ⌊s·SHARDS/S⌋ */
  readonly rowShards: Uint32Array<ArrayBuffer>;
  /** [SHARDS + 1] */
  readonly pickShards: Uint32Array<ArrayBuffer>;
}

/** Which sequences of a larger batch a batch holds: those from `first` on, of `total`. */
export interface BatchShare {
  readonly first: number;
  readonly total: number;
}

/**
 * Tokens after a sequence's last sampled one predict nothing and are left out.
 * @param rowsAtOnce most rows of a chunk, but for a sequence that is longer
 * @param share where the batch is a part of a larger one: its sequences then fall into that one's shards
 * @throws PolicyError for a sequence that is too long
 */
export function packBatch(batch: TrainBatch, context: number, rowsAtOnce: number, share: BatchShare = { first: 0, total: batch.rows }): PackedBatch {
  const [inputs, starts] = [new Uint32Array(batch.rows), new Uint32Array(batch.rows)];
  const chunks: Chunk[] = [];
  let [first, count, pickCount] = [0, 0, 0];
  for (let sequence = 0; sequence < batch.rows; sequence += 1) {
    const length = batch.lengths[sequence] ?? 0;
    if (length > context + 1) throw new PolicyError(`sequence ${sequence} has ${length} tokens, the context holds ${context}`);
    for (let position = 1; position < length; position += 1)
      if (batch.mask[sequence * batch.length + position] === 1) {
        inputs[sequence] = position;
        pickCount += 1;
      }
    const own = inputs[sequence] ?? 0;
    if (count > 0 && count + own > rowsAtOnce) {
      chunks.push({ first, count });
      [first, count] = [aligned(first + count), 0];
    }
    starts[sequence] = first + count;
    count += own;
  }
  if (count > 0) chunks.push({ first, count });
  const rowCount = first + count;
  const [rows, place] = [new Uint32Array(rowCount * ROW_FIELDS), new Uint32Array(rowCount).fill(NO_ROW)];
  const [pick, targets, origin] = [new Uint32Array(pickCount), new Uint32Array(pickCount * 2), new Uint32Array(pickCount)];
  const [boundaries, pickShards] = [new Uint32Array(SHARDS + 1), new Uint32Array(SHARDS + 1)];
  let [row, picked, shard, chunk] = [0, 0, 0, 0];
  for (let sequence = 0; sequence < batch.rows; sequence += 1) {
    row = starts[sequence] ?? 0;
    while (row >= (chunks[chunk + 1]?.first ?? Infinity)) chunk += 1;
    for (const of = Math.floor(((share.first + sequence) * SHARDS) / share.total); shard < of; ) {
      shard += 1;
      boundaries[shard] = row;
      pickShards[shard] = picked;
    }
    const [start, count, base] = [row - (chunks[chunk]?.first ?? 0), inputs[sequence] ?? 0, sequence * batch.length];
    for (let position = 0; position < count; position += 1, row += 1) {
      const at = row * ROW_FIELDS;
      rows[at + ROW.TOKEN] = batch.tokens[base + position] ?? 0;
      rows[at + ROW.PREVIOUS] = position > 0 ? (batch.tokens[base + position - 1] ?? 0) : 0;
      rows[at + ROW.POSITION] = position;
      rows[at + ROW.KEY_START] = start;
      rows[at + ROW.END] = start + count;
      const target = base + position + 1;
      if (batch.mask[target] !== 1) continue;
      pick[picked] = row;
      place[row] = picked;
      targets[picked * 2] = batch.tokens[target] ?? 0;
      targets[picked * 2 + 1] = batch.automatonStates[target] ?? 0;
      origin[picked] = target;
      picked += 1;
    }
  }
  for (shard += 1; shard <= SHARDS; shard += 1) {
    boundaries[shard] = rowCount;
    pickShards[shard] = picked;
  }
  const rowShards = new Uint32Array(chunks.length * CHUNK_STARTS);
  for (const [index, { first: from, count: within }] of chunks.entries())
    for (const [at, boundary] of boundaries.entries()) rowShards[index * CHUNK_STARTS + at] = Math.min(within, Math.max(0, boundary - from));
  return { rowCount, pickCount, chunks, rows, pick, place, targets, origin, rowShards, pickShards };
}
