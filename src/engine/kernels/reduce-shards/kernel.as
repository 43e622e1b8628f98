import { SHARDS } from "../../wasm/vector";

export function reduceShards(shards: usize, sum: usize, count: u32): void {
  const bytes = (<usize>count) << 2;
  for (let at: usize = 0; at < bytes; at += 16) {
    let total = v128.load(shards + at);
    for (let shard: usize = 1; shard < SHARDS; shard++) total = f32x4.add(total, v128.load(shards + shard * bytes + at));
    v128.store(sum + at, total);
  }
}
