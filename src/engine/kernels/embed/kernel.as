import { rowField } from "../../wasm/vector";

export function embed(rows: usize, tokens: usize, positions: usize, previous: usize, x: usize, width: u32, count: u32): void {
  const bytes = (<usize>width) << 2;
  for (let row: u32 = 0; row < count; row++) {
    const t = tokens + (<usize>rowField(rows, row, 0)) * bytes;
    const q = previous + (<usize>rowField(rows, row, 1)) * bytes;
    const p = positions + (<usize>rowField(rows, row, 2)) * bytes;
    const to = x + (<usize>row) * bytes;
    for (let d: usize = 0; d < bytes; d += 16)
      v128.store(to + d, f32x4.add(f32x4.add(v128.load(t + d), v128.load(p + d)), v128.load(q + d)));
  }
}
