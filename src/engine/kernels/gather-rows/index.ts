import { drawIndex } from "#core/rng.ts";
import { f32, ODD_SIZES, randomFloats, u32, value, zeros, type KernelDefinition } from "../../kernel.ts";
import wgsl from "./kernel.wgsl?raw";

/** An index that gathers zeros: with the inverse index, gathering is scattering. */
export const NO_ROW = 0xffffffff;

/** y[row] = x[index[row]], or zeros for NO_ROW. */
export const gatherRows: KernelDefinition = {
  name: "gather-rows",
  bindings: [
    { name: "x", kind: "f32", access: "read" },
    { name: "index", kind: "u32", access: "read" },
    { name: "y", kind: "f32", access: "write" },
  ],
  sizes: ["width"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows") * value(values, "width"),
  workgroupSize: 64,
  wgsl,
  tolerance: 0,
  reference(views, values) {
    const [x, index, y] = [f32(views, 0), u32(views, 1), f32(views, 2)];
    const [rows, width] = [value(values, "rows"), value(values, "width")];
    for (let row = 0; row < rows; row += 1) {
      const from = index[row] ?? NO_ROW;
      for (let d = 0; d < width; d += 1) y[row * width + d] = from === NO_ROW ? 0 : (x[from * width + d] ?? 0);
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => ({
      label: `${rows} rows`,
      views: [
        randomFloats(rng, 9 * 28),
        Uint32Array.from({ length: rows }, (_, row) => (row % 3 === 2 ? NO_ROW : drawIndex(rng, 9))),
        zeros(rows * 28),
      ],
      values: { rows, width: 28 },
    })),
};
