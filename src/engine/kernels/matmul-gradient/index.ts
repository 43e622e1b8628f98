import { f32, ODD_SIZES, randomFloats, u32, value, type KernelDefinition } from "../../kernel.ts";
import { evenShards, SHARDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/**
 * Gradient of b in c = a · b, one sum of rows a shard: gradient[s·stride + k·columns + n] += Σ_{row in shard s} a[row, k]·dc[row, n],
 * rows in order. `inner` and `columns` are multiples of 4. `shardStarts` has SHARDS + 1 entries.
 */
export const matmulGradient: KernelDefinition = {
  name: "matmul-gradient",
  bindings: [
    { name: "a", kind: "f32", access: "read" },
    { name: "dc", kind: "f32", access: "read" },
    { name: "shardStarts", kind: "u32", access: "read" },
    { name: "gradient", kind: "f32", access: "write" },
  ],
  sizes: ["inner", "columns", "stride"],
  params: [],
  // One invocation makes 8 × 8 elements of one shard.
  threads: (values) => SHARDS * Math.ceil(value(values, "inner") / 8) * Math.ceil(value(values, "columns") / 8),
  workgroupSize: 64,
  wgsl,
  tolerance: 5e-5,
  reference(views, values) {
    const [a, dc, starts, gradient] = [f32(views, 0), f32(views, 1), u32(views, 2), f32(views, 3)];
    const [inner, columns, stride] = [value(values, "inner"), value(values, "columns"), value(values, "stride")];
    for (let shard = 0; shard < SHARDS; shard += 1)
      for (let k = 0; k < inner; k += 1)
        for (let n = 0; n < columns; n += 1) {
          const at = shard * stride + k * columns + n;
          let sum = gradient[at] ?? 0;
          for (let row = starts[shard] ?? 0; row < (starts[shard + 1] ?? 0); row += 1)
            sum += (a[row * inner + k] ?? 0) * (dc[row * columns + n] ?? 0);
          gradient[at] = sum;
        }
  },
  cases: (rng) =>
    ODD_SIZES.flatMap((rows) =>
      ODD_SIZES.map((width, index) => {
        const inner = width * 4;
        const columns = (ODD_SIZES[(index + 2) % 3] ?? 1) * 4;
        const stride = inner * columns + 64;
        return {
          label: `${rows}x${inner}x${columns}`,
          views: [randomFloats(rng, rows * inner), randomFloats(rng, rows * columns), evenShards(rows), randomFloats(rng, SHARDS * stride)],
          values: { inner, columns, stride },
        };
      }),
    ),
};
