import { exp } from "#core/math.ts";
import { f32, ODD_SIZES, randomFloats, u32, value, zeros, type KernelDefinition } from "../../kernel.ts";
import { HEAD_WIDTH, packedRows, ROW, ROW_FIELDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/**
 * Causal softmax attention of every row over the keys of its sequence up to itself, heads of HEAD_WIDTH, scale 1/√HEAD_WIDTH.
 * Queries are the first `width` of each row of queries[rows, 3·width]; key and value of key row r are keys[r·keyStride + keyOffset ..]
 * and keys[r·keyStride + valueOffset ..]: the same buffer while training, the cache while sampling. The result of a row depends on that
 * row and its keys alone. statistics[row, head] = (largest score, 1 / Σ exp(score − largest)), kept for the gradient.
 */
export const attention: KernelDefinition = {
  name: "attention",
  bindings: [
    { name: "rows", kind: "u32", access: "read" },
    { name: "queries", kind: "f32", access: "read" },
    { name: "keys", kind: "f32", access: "read" },
    { name: "out", kind: "f32", access: "write" },
    { name: "statistics", kind: "f32", access: "write" },
  ],
  sizes: ["width", "keyStride", "keyOffset", "valueOffset"],
  params: [{ name: "rows", kind: "u32" }],
  // One invocation takes one head of one row.
  threads: (values) => value(values, "rows") * (value(values, "width") / HEAD_WIDTH),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [rows, queries, keys, out, statistics] = [u32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3), f32(views, 4)];
    const [count, width, stride] = [value(values, "rows"), value(values, "width"), value(values, "keyStride")];
    const [keyOffset, valueOffset] = [value(values, "keyOffset"), value(values, "valueOffset")];
    const heads = width / HEAD_WIDTH;
    const scale = 1 / Math.sqrt(HEAD_WIDTH);
    for (let row = 0; row < count; row += 1) {
      const start = rows[row * ROW_FIELDS + ROW.KEY_START] ?? 0;
      const seen = (rows[row * ROW_FIELDS + ROW.POSITION] ?? 0) + 1;
      for (let head = 0; head < heads; head += 1) {
        const scores = Array.from({ length: seen }, (_, key) => {
          let dot = 0;
          for (let d = 0; d < HEAD_WIDTH; d += 1)
            dot += (queries[row * 3 * width + head * HEAD_WIDTH + d] ?? 0) * (keys[(start + key) * stride + keyOffset + head * HEAD_WIDTH + d] ?? 0);
          return dot * scale;
        });
        const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
        const weights = scores.map((score) => exp(score - largest));
        const inverse = 1 / weights.reduce((a, b) => a + b, 0);
        statistics[(row * heads + head) * 2] = largest;
        statistics[(row * heads + head) * 2 + 1] = inverse;
        for (let d = 0; d < HEAD_WIDTH; d += 1) {
          let sum = 0;
          for (const [key, weight] of weights.entries()) sum += weight * (keys[(start + key) * stride + valueOffset + head * HEAD_WIDTH + d] ?? 0);
          out[row * width + head * HEAD_WIDTH + d] = sum * inverse;
        }
      }
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((length) => {
      const width = 48;
      const rows = packedRows(rng, [length, 3, length], 9);
      const count = rows.length / ROW_FIELDS;
      const qkv = randomFloats(rng, count * 3 * width, 2);
      return {
        label: `length ${length}`,
        views: [rows, qkv, qkv, zeros(count * width), zeros(count * 6)],
        values: { rows: count, width, keyStride: 3 * width, keyOffset: width, valueOffset: 2 * width },
      };
    }),
};
