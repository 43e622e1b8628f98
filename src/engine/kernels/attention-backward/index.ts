import { exp } from "#core/math.ts";
import { f32, ODD_SIZES, randomFloats, u32, value, zeros, type KernelDefinition, type Values, type View } from "../../kernel.ts";
import { attention } from "../attention/index.ts";
import { HEAD_WIDTH, packedRows, ROW, ROW_FIELDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/**
 * Gradient of `attention` over packed training rows. With p the attention weights and D = Σ dOut·out of a query's head:
 * ds = p·(dOut·v − D)·scale; dq = Σ_keys ds·k; dk = Σ_queries ds·q; dv = Σ_queries p·dOut; queries and keys in order.
 * dqkv[rows, 3·width] is overwritten.
 */
export const attentionBackward: KernelDefinition = {
  name: "attention-backward",
  bindings: [
    { name: "rows", kind: "u32", access: "read" },
    { name: "qkv", kind: "f32", access: "read" },
    { name: "out", kind: "f32", access: "read" },
    { name: "statistics", kind: "f32", access: "read" },
    { name: "dOut", kind: "f32", access: "read" },
    { name: "dqkv", kind: "f32", access: "write" },
  ],
  sizes: ["width"],
  params: [{ name: "rows", kind: "u32" }],
  // One invocation takes one head of one row, as query and as key.
  // One invocation takes two rows.
  threads: (values) => Math.ceil(value(values, "rows") / 2) * (value(values, "width") / HEAD_WIDTH),
  workgroupSize: 64,
  wgsl,
  tolerance: 5e-5,
  reference(views, values) {
    const [rows, qkv, out, statistics, dOut, dqkv] = [u32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3), f32(views, 4), f32(views, 5)];
    const [count, width] = [value(values, "rows"), value(values, "width")];
    const heads = width / HEAD_WIDTH;
    const scale = 1 / Math.sqrt(HEAD_WIDTH);
    dqkv.fill(0, 0, count * 3 * width);
    const add = (at: number, amount: number): void => {
      dqkv[at] = (dqkv[at] ?? 0) + amount;
    };
    for (let row = 0; row < count; row += 1) {
      const start = rows[row * ROW_FIELDS + ROW.KEY_START] ?? 0;
      for (let head = 0; head < heads; head += 1) {
        const within = head * HEAD_WIDTH;
        const [largest, inverse] = [statistics[(row * heads + head) * 2] ?? 0, statistics[(row * heads + head) * 2 + 1] ?? 0];
        const gradient = (d: number): number => dOut[row * width + within + d] ?? 0;
        let along = 0;
        for (let d = 0; d < HEAD_WIDTH; d += 1) along += gradient(d) * (out[row * width + within + d] ?? 0);
        for (let key = start; key <= row; key += 1) {
          let [score, dWeight] = [0, 0];
          for (let d = 0; d < HEAD_WIDTH; d += 1) {
            score += (qkv[row * 3 * width + within + d] ?? 0) * (qkv[key * 3 * width + width + within + d] ?? 0);
            dWeight += gradient(d) * (qkv[key * 3 * width + 2 * width + within + d] ?? 0);
          }
          const weight = exp(score * scale - largest) * inverse;
          const dScore = weight * (dWeight - along) * scale;
          for (let d = 0; d < HEAD_WIDTH; d += 1) {
            add(row * 3 * width + within + d, dScore * (qkv[key * 3 * width + width + within + d] ?? 0));
            add(key * 3 * width + width + within + d, dScore * (qkv[row * 3 * width + within + d] ?? 0));
            add(key * 3 * width + 2 * width + within + d, weight * gradient(d));
          }
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
      const [out, statistics] = [zeros(count * width), zeros(count * 6)];
      const forward: readonly View[] = [rows, qkv, qkv, out, statistics];
      const sizes: Values = { rows: count, width, keyStride: 3 * width, keyOffset: width, valueOffset: 2 * width };
      attention.reference(forward, sizes);
      return {
        label: `length ${length}`,
        views: [rows, qkv, out, statistics, randomFloats(rng, count * width), randomFloats(rng, count * 3 * width)],
        values: { rows: count, width },
      };
    }),
};
