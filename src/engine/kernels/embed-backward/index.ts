import { f32, ODD_SIZES, randomFloats, u32, value, type KernelDefinition } from "../../kernel.ts";
import { evenShards, packedRows, ROW, ROW_FIELDS, SHARDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/**
 * Adds dx of every row to the rows of the three embedding tables it was made of, one sum of rows a shard, rows in order.
 * `gradient` starts at the token table; the other tables lie `positionOffset` and `previousOffset` elements behind it.
 */
export const embedBackward: KernelDefinition = {
  name: "embed-backward",
  bindings: [
    { name: "rows", kind: "u32", access: "read" },
    { name: "dx", kind: "f32", access: "read" },
    { name: "shardStarts", kind: "u32", access: "read" },
    { name: "gradient", kind: "f32", access: "write" },
  ],
  sizes: ["width", "positionOffset", "previousOffset", "stride"],
  params: [],
  // One invocation walks one column of one shard.
  threads: (values) => SHARDS * value(values, "width"),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [rows, dx, starts, gradient] = [u32(views, 0), f32(views, 1), u32(views, 2), f32(views, 3)];
    const [width, stride] = [value(values, "width"), value(values, "stride")];
    const tables = [
      [ROW.TOKEN, 0],
      [ROW.POSITION, value(values, "positionOffset")],
      [ROW.PREVIOUS, value(values, "previousOffset")],
    ] as const;
    for (let shard = 0; shard < SHARDS; shard += 1)
      for (let row = starts[shard] ?? 0; row < (starts[shard + 1] ?? 0); row += 1)
        for (const [field, offset] of tables) {
          const base = shard * stride + offset + (rows[row * ROW_FIELDS + field] ?? 0) * width;
          for (let d = 0; d < width; d += 1) gradient[base + d] = (gradient[base + d] ?? 0) + (dx[row * width + d] ?? 0);
        }
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => {
      const width = 28;
      const positionOffset = 11 * width;
      const previousOffset = positionOffset + rows * width;
      const stride = previousOffset + 11 * width;
      return {
        label: `${rows} rows`,
        views: [packedRows(rng, [rows], 11), randomFloats(rng, rows * width), evenShards(rows), randomFloats(rng, SHARDS * stride)],
        values: { width, positionOffset, previousOffset, stride },
      };
    }),
};
