/** Per-token arrays hold rows one after another; row r is [starts[r], starts[r + 1]), and rows may differ in length. */
export interface MaskedRows {
  /** [rows + 1] */
  readonly starts: ArrayLike<number>;
  /** 1 where the policy sampled the token; elsewhere no other array is read and every result is 0. */
  readonly mask: ArrayLike<number>;
}

/** Places of the sampled tokens of one row, in order. */
export function sampledIn({ starts, mask }: MaskedRows, row: number): number[] {
  const places: number[] = [];
  for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) if (mask[index] !== 0) places.push(index);
  return places;
}

export function countIn({ starts, mask }: MaskedRows, row: number): number {
  let count = 0;
  for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) if (mask[index] !== 0) count += 1;
  return count;
}
