import { f32, ODD_SIZES, randomFloats, u32, value, type KernelDefinition } from "../../kernel.ts";
import { packedRows, ROW, ROW_FIELDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/** cache[keyStart + position] = (key, value) of each row of qkv[rows, 3·width]; cache rows are 2·width wide. */
export const storeKv: KernelDefinition = {
  name: "store-kv",
  bindings: [
    { name: "rows", kind: "u32", access: "read" },
    { name: "qkv", kind: "f32", access: "read" },
    { name: "cache", kind: "f32", access: "write" },
  ],
  sizes: ["width"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows") * 2 * value(values, "width"),
  workgroupSize: 64,
  wgsl,
  tolerance: 0,
  reference(views, values) {
    const [rows, qkv, cache] = [u32(views, 0), f32(views, 1), f32(views, 2)];
    const [count, width] = [value(values, "rows"), value(values, "width")];
    for (let row = 0; row < count; row += 1) {
      const to = (rows[row * ROW_FIELDS + ROW.KEY_START] ?? 0) + (rows[row * ROW_FIELDS + ROW.POSITION] ?? 0);
      for (let d = 0; d < 2 * width; d += 1) cache[to * 2 * width + d] = qkv[row * 3 * width + width + d] ?? 0;
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((length) => ({
      label: `length ${length}`,
      views: [packedRows(rng, [length, 2], 9), randomFloats(rng, (length + 2) * 96), randomFloats(rng, (length + 3) * 64)],
      values: { rows: length + 2, width: 32 },
    })),
};
