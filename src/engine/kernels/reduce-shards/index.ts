import { f32, ODD_SIZES, randomFloats, value, zeros, type KernelDefinition } from "../../kernel.ts";
import { SHARDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/** sum[i] = Σ_s shards[s·count + i], shards in order; count is a multiple of 4. */
export const reduceShards: KernelDefinition = {
  name: "reduce-shards",
  bindings: [
    { name: "shards", kind: "f32", access: "read" },
    { name: "sum", kind: "f32", access: "write" },
  ],
  sizes: ["count"],
  params: [],
  // One invocation takes 4 elements.
  threads: (values) => value(values, "count") / 4,
  workgroupSize: 64,
  wgsl,
  tolerance: 1e-6,
  reference(views, values) {
    const [shards, sum] = [f32(views, 0), f32(views, 1)];
    const count = value(values, "count");
    for (let index = 0; index < count; index += 1) {
      let total = 0;
      for (let shard = 0; shard < SHARDS; shard += 1) total += shards[shard * count + index] ?? 0;
      sum[index] = total;
    }
  },
  cases: (rng) => ODD_SIZES.map((size) => ({ label: `${size * 64}`, views: [randomFloats(rng, size * 64 * SHARDS), zeros(size * 64)], values: { count: size * 64 } })),
};
