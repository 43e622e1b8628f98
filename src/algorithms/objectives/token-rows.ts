import type { TrainBatch } from "#core/objective.ts";
import { countIn } from "#algorithms/masked-rows.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";

export type Aggregation = "tokenMean" | "sequenceMean" | "constant";

/** Typed arrays of the hot path or plain ones of a test, indexed by token. */
export type PerToken = ArrayLike<number>;
/** Where a gradient is written; the caller chooses the precision. */
export type PerTokenOut = Float32Array | Float64Array;

export interface TokenRows extends MaskedRows {
  /** [rows] what one token of the row weighs in the loss. */
  readonly weights: Float64Array;
  /** Sampled tokens in all rows. */
  readonly tokens: number;
}

/**
 * Aggregated loss = Σ weight · token loss over the sampled tokens. Rows without one leave the mean over sequences.
 * - tokenMean: 1 / all sampled tokens (DAPO, arXiv 2503.14476, section 3.3)
 * - sequenceMean: 1 / (rows with sampled tokens · those of the row) (GRPO, arXiv 2402.03300, equation 3)
 * - constant: 1 / (all rows · constant) (Dr. GRPO, arXiv 2503.20783, section 3.2)
 * @throws RangeError when `constant` is needed and not positive.
 */
export function weighRows(starts: ArrayLike<number>, mask: PerToken, aggregation: Aggregation, constant: number | null): TokenRows {
  if (aggregation === "constant" && !(constant !== null && constant > 0)) throw new RangeError(`constant is ${constant}; it must be positive`);
  const rows = Math.max(0, starts.length - 1);
  const weights = new Float64Array(rows);
  let tokens = 0;
  let filled = 0;
  for (let row = 0; row < rows; row += 1) {
    const sampled = countIn({ starts, mask }, row);
    weights[row] = sampled;
    tokens += sampled;
    if (sampled > 0) filled += 1;
  }
  for (let row = 0; row < rows; row += 1) {
    const sampled = weights[row] as number;
    if (sampled === 0) continue;
    weights[row] = 1 / (aggregation === "tokenMean" ? tokens : aggregation === "sequenceMean" ? filled * sampled : rows * (constant as number));
  }
  return { starts, mask, weights, tokens };
}

/**
 * Every unit alike, whatever number of rows it has: a token weighs 1 / (units with sampled tokens · those of its unit).
 * @param unitOfRow [rows] such as the trajectory a row belongs to.
 */
export function weighUnits({ starts, mask }: MaskedRows, unitOfRow: ArrayLike<number>): TokenRows {
  const counts = Array.from(unitOfRow, (_, row) => countIn({ starts, mask }, row));
  const ofUnit = new Map<number, number>();
  for (const [row, count] of counts.entries()) if (count > 0) ofUnit.set(unitOfRow[row] as number, (ofUnit.get(unitOfRow[row] as number) ?? 0) + count);
  return {
    starts, mask,
    weights: Float64Array.from(counts, (count, row) => (count === 0 ? 0 : 1 / (ofUnit.size * (ofUnit.get(unitOfRow[row] as number) as number)))),
    tokens: counts.reduce((sum, count) => sum + count, 0),
  };
}

/** Where the rows of a padded batch start. */
export const startsOf = ({ rows, length }: TrainBatch): Uint32Array => Uint32Array.from({ length: rows + 1 }, (_, row) => row * length);

/** The rows of a padded batch. */
export const weighBatch = (batch: TrainBatch, aggregation: Aggregation, constant: number | null): TokenRows =>
  weighRows(startsOf(batch), batch.mask, aggregation, constant);

/** Σ weight · value over the sampled tokens. */
export function aggregate({ starts, mask, weights }: TokenRows, values: PerToken): number {
  let sum = 0;
  for (let row = 0; row < weights.length; row += 1) {
    const weight = weights[row] as number;
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      if (mask[index] !== 0) sum += weight * (values[index] as number);
    }
  }
  return sum;
}

/** The gradient of `scale · aggregate(rows, values)` with respect to `values`: the same number for every sampled token of a row. */
export function writeAggregateGradient({ starts, mask, weights }: TokenRows, scale: number, gradient: PerTokenOut): void {
  for (let row = 0; row < weights.length; row += 1) {
    const each = scale * (weights[row] as number);
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) gradient[index] = mask[index] === 0 ? 0 : each;
  }
}
