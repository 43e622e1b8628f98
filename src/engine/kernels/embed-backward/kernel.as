import { rowField, SHARDS } from "../../wasm/vector";

export function embedBackward(
  rows: usize, dx: usize, starts: usize, gradient: usize, width: u32, positionOffset: u32, previousOffset: u32, stride: u32,
): void {
  const bytes = (<usize>width) << 2;
  for (let shard: u32 = 0; shard < SHARDS; shard++) {
    const tokens = gradient + (<usize>shard) * ((<usize>stride) << 2);
    const positions = tokens + ((<usize>positionOffset) << 2);
    const previous = tokens + ((<usize>previousOffset) << 2);
    const end = load<u32>(starts + ((<usize>shard + 1) << 2));
    for (let row = load<u32>(starts + ((<usize>shard) << 2)); row < end; row++) {
      const t = tokens + (<usize>rowField(rows, row, 0)) * bytes;
      const q = previous + (<usize>rowField(rows, row, 1)) * bytes;
      const p = positions + (<usize>rowField(rows, row, 2)) * bytes;
      const from = dx + (<usize>row) * bytes;
      for (let d: usize = 0; d < bytes; d += 16) {
        const amount = v128.load(from + d);
        v128.store(t + d, f32x4.add(v128.load(t + d), amount));
        v128.store(p + d, f32x4.add(v128.load(p + d), amount));
        v128.store(q + d, f32x4.add(v128.load(q + d), amount));
      }
    }
  }
}
