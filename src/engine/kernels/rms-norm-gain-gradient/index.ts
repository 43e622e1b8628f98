import { f32, ODD_SIZES, randomFloats, u32, value, type KernelDefinition } from "../../kernel.ts";
import { evenShards, SHARDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/** gradient[s·stride + d] += Σ_{row in shard s} dy[row, d]·x[row, d]·inverse[row], rows in order. */
export const rmsNormGainGradient: KernelDefinition = {
  name: "rms-norm-gain-gradient",
  bindings: [
    { name: "x", kind: "f32", access: "read" },
    { name: "inverse", kind: "f32", access: "read" },
    { name: "dy", kind: "f32", access: "read" },
    { name: "shardStarts", kind: "u32", access: "read" },
    { name: "gradient", kind: "f32", access: "write" },
  ],
  sizes: ["width", "stride"],
  params: [],
  threads: (values) => SHARDS * value(values, "width"),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [x, inverse, dy, starts, gradient] = [f32(views, 0), f32(views, 1), f32(views, 2), u32(views, 3), f32(views, 4)];
    const [width, stride] = [value(values, "width"), value(values, "stride")];
    for (let shard = 0; shard < SHARDS; shard += 1)
      for (let d = 0; d < width; d += 1) {
        let sum = gradient[shard * stride + d] ?? 0;
        for (let row = starts[shard] ?? 0; row < (starts[shard + 1] ?? 0); row += 1)
          sum += (dy[row * width + d] ?? 0) * (x[row * width + d] ?? 0) * (inverse[row] ?? 0);
        gradient[shard * stride + d] = sum;
      }
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => ({
      label: `${rows} rows`,
      views: [randomFloats(rng, rows * 28), randomFloats(rng, rows), randomFloats(rng, rows * 28), evenShards(rows), randomFloats(rng, SHARDS * 64)],
      values: { width: 28, stride: 64 },
    })),
};
