import { rowField } from "../../wasm/vector";

export function storeKv(rows: usize, qkv: usize, cache: usize, width: u32, count: u32): void {
  const bytes = (<usize>width) << 2;
  for (let row: u32 = 0; row < count; row++) {
    const to = <usize>(rowField(rows, row, 3) + rowField(rows, row, 2));
    memory.copy(cache + to * 2 * bytes, qkv + (<usize>row) * 3 * bytes + bytes, 2 * bytes);
  }
}
