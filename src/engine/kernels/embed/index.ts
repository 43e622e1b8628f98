import { f32, ODD_SIZES, randomFloats, u32, value, zeros, type KernelDefinition } from "../../kernel.ts";
import { packedRows, ROW, ROW_FIELDS } from "../rows.ts";
import wgsl from "./kernel.wgsl?raw";

/** x[row] = tokens[token] + positions[position] + previous[previous token]; widths are multiples of 4. */
export const embed: KernelDefinition = {
  name: "embed",
  bindings: [
    { name: "rows", kind: "u32", access: "read" },
    { name: "tokenTable", kind: "f32", access: "read" },
    { name: "positionTable", kind: "f32", access: "read" },
    { name: "previousTable", kind: "f32", access: "read" },
    { name: "x", kind: "f32", access: "write" },
  ],
  sizes: ["width"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows") * value(values, "width"),
  workgroupSize: 64,
  wgsl,
  tolerance: 1e-6,
  reference(views, values) {
    const [rows, tokens, positions, previous, x] = [u32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3), f32(views, 4)];
    const [count, width] = [value(values, "rows"), value(values, "width")];
    for (let row = 0; row < count; row += 1) {
      const at = (field: number): number => (rows[row * ROW_FIELDS + field] ?? 0) * width;
      for (let d = 0; d < width; d += 1)
        x[row * width + d] =
          (tokens[at(ROW.TOKEN) + d] ?? 0) + (positions[at(ROW.POSITION) + d] ?? 0) + (previous[at(ROW.PREVIOUS) + d] ?? 0);
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => ({
      label: `${rows} rows`,
      views: [packedRows(rng, [rows], 11), randomFloats(rng, 11 * 28), randomFloats(rng, rows * 28), randomFloats(rng, 11 * 28), zeros(rows * 28)],
      values: { rows, width: 28 },
    })),
};
