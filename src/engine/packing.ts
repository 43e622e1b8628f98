import { PolicyError } from "#core/errors.ts";
import type { TrainBatch } from "#core/objective.ts";
import { NO_ROW } from "./kernels/gather-rows/index.ts";
import { ROW, ROW_FIELDS, SHARDS } from "./kernels/rows.ts";

/** A batch without its padding: rows of all sequences one after the other, and which of them predict a sampled token. */
export interface PackedBatch {
  readonly rowCount: number;
  readonly pickCount: number;
  /** [rowCount, ROW_FIELDS] */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** [pickCount] row whose output predicts each sampled token */
  readonly pick: Uint32Array<ArrayBuffer>;
  /** [rowCount] inverse of `pick`, NO_ROW where a row predicts nothing trained on */
  readonly place: Uint32Array<ArrayBuffer>;
  /** [pickCount, 2] token and automaton state before it */
  readonly targets: Uint32Array<ArrayBuffer>;
  /** [pickCount] index into the batch's [rows × length] arrays */
  readonly origin: Uint32Array<ArrayBuffer>;
  /** [SHARDS + 1] each; sequence s of S belongs to shard ⌊s·SHARDS/S⌋ */
  readonly rowShards: Uint32Array<ArrayBuffer>;
  readonly pickShards: Uint32Array<ArrayBuffer>;
}

/** Which sequences of a larger batch a batch holds: those from `first` on, of `total`. */
export interface BatchShare {
  readonly first: number;
  readonly total: number;
}

/**
 * Tokens after a sequence's last sampled one predict nothing and are left out.
 * @param share where the batch is a part of a larger one: its sequences then fall into that one's shards
 * @throws PolicyError for a sequence that is too long
 */
export function packBatch(batch: TrainBatch, context: number, { first, total }: BatchShare = { first: 0, total: batch.rows }): PackedBatch {
  const inputs = new Uint32Array(batch.rows);
  let [rowCount, pickCount] = [0, 0];
  for (let sequence = 0; sequence < batch.rows; sequence += 1) {
    const length = batch.lengths[sequence] ?? 0;
    if (length > context + 1) throw new PolicyError(`sequence ${sequence} has ${length} tokens, the context holds ${context}`);
    for (let position = 1; position < length; position += 1)
      if (batch.mask[sequence * batch.length + position] === 1) {
        inputs[sequence] = position;
        pickCount += 1;
      }
    rowCount += inputs[sequence] ?? 0;
  }
  const [rows, place] = [new Uint32Array(rowCount * ROW_FIELDS), new Uint32Array(rowCount).fill(NO_ROW)];
  const [pick, targets, origin] = [new Uint32Array(pickCount), new Uint32Array(pickCount * 2), new Uint32Array(pickCount)];
  const [rowShards, pickShards] = [new Uint32Array(SHARDS + 1), new Uint32Array(SHARDS + 1)];
  let [row, picked, shard] = [0, 0, 0];
  for (let sequence = 0; sequence < batch.rows; sequence += 1) {
    for (const of = Math.floor(((first + sequence) * SHARDS) / total); shard < of; ) {
      shard += 1;
      rowShards[shard] = row;
      pickShards[shard] = picked;
    }
    const [start, count, base] = [row, inputs[sequence] ?? 0, sequence * batch.length];
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
    rowShards[shard] = row;
    pickShards[shard] = picked;
  }
  return { rowCount, pickCount, rows, pick, place, targets, origin, rowShards, pickShards };
}
