import { madd, SHARDS, splat } from "../../wasm/vector";

export function rmsNormGainGradient(x: usize, inverse: usize, dy: usize, starts: usize, gradient: usize, width: u32, stride: u32): void {
  const bytes = (<usize>width) << 2;
  for (let shard: u32 = 0; shard < SHARDS; shard++) {
    const to = gradient + (<usize>shard) * ((<usize>stride) << 2);
    const end = load<u32>(starts + ((<usize>shard + 1) << 2));
    for (let row = load<u32>(starts + ((<usize>shard) << 2)); row < end; row++) {
      const shift = (<usize>row) * bytes;
      const scale = splat(inverse + ((<usize>row) << 2));
      for (let d: usize = 0; d < bytes; d += 16)
        v128.store(to + d, madd(f32x4.mul(v128.load(dy + shift + d), v128.load(x + shift + d)), scale, v128.load(to + d)));
    }
  }
}
