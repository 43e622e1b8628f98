import { f32, ODD_SIZES, randomFloats, value, zeros, type KernelDefinition } from "../../kernel.ts";
import wgsl from "./kernel.wgsl?raw";

/** b[columns, rows] = aᵀ of a[rows, columns]. */
export const transpose: KernelDefinition = {
  name: "transpose",
  bindings: [
    { name: "a", kind: "f32", access: "read" },
    { name: "b", kind: "f32", access: "write" },
  ],
  sizes: ["rows", "columns"],
  params: [],
  threads: (values) => value(values, "rows") * value(values, "columns"),
  workgroupSize: 64,
  wgsl,
  tolerance: 0,
  reference(views, values) {
    const [a, b] = [f32(views, 0), f32(views, 1)];
    const [rows, columns] = [value(values, "rows"), value(values, "columns")];
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1) b[column * rows + row] = a[row * columns + column] ?? 0;
  },
  cases: (rng) =>
    ODD_SIZES.map((rows, index) => {
      const columns = ODD_SIZES[(index + 1) % 3] ?? 1;
      return { label: `${rows}x${columns}`, views: [randomFloats(rng, rows * columns), zeros(rows * columns)], values: { rows, columns } };
    }),
};
