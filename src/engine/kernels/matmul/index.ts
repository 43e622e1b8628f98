import { f32, ODD_SIZES, randomFloats, value, zeros, type KernelDefinition } from "../../kernel.ts";
import wgsl from "./kernel.wgsl?raw";

/** What becomes of the product: stored; added to `other`; ReLU; kept only where `other` > 0 (the ReLU's gradient). */
export const MATMUL = { STORE: 0, ADD: 1, RELU: 2, GATE: 3 } as const;

/** c[rows, columns] = a[rows, inner] · b[inner, columns], then `mode`. `inner` and `columns` are multiples of 4. */
export const matmul: KernelDefinition = {
  name: "matmul",
  bindings: [
    { name: "a", kind: "f32", access: "read" },
    { name: "b", kind: "f32", access: "read" },
    { name: "other", kind: "f32", access: "read" },
    { name: "c", kind: "f32", access: "write" },
  ],
  sizes: ["inner", "columns", "mode"],
  params: [{ name: "rows", kind: "u32" }],
  // One invocation makes 8 rows × 8 columns.
  threads: (values) => Math.ceil(value(values, "rows") / 8) * Math.ceil(value(values, "columns") / 8),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [a, b, other, c] = [f32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3)];
    const [rows, inner, columns, mode] = [value(values, "rows"), value(values, "inner"), value(values, "columns"), value(values, "mode")];
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1) {
        let sum = 0;
        for (let k = 0; k < inner; k += 1) sum += (a[row * inner + k] ?? 0) * (b[k * columns + column] ?? 0);
        const at = row * columns + column;
        if (mode === MATMUL.ADD) sum += other[at] ?? 0;
        else if (mode === MATMUL.RELU) sum = Math.max(sum, 0);
        else if (mode === MATMUL.GATE && !((other[at] ?? 0) > 0)) sum = 0;
        c[at] = sum;
      }
  },
  cases: (rng) =>
    ODD_SIZES.flatMap((rows) =>
      ODD_SIZES.map((width, index) => {
        const inner = width * 4;
        const columns = (ODD_SIZES[(index + 1) % 3] ?? 1) * 4;
        return {
          label: `${rows}x${inner}x${columns}`,
          views: [randomFloats(rng, rows * inner), randomFloats(rng, inner * columns), randomFloats(rng, rows * columns).map((entry) => Math.max(entry, -0.5) + 0.5), zeros(rows * columns)],
          values: { rows, inner, columns, mode: (index + rows) % 4 },
        };
      }),
    ),
};
