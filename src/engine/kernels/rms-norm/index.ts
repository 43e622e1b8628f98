import { f32, ODD_SIZES, randomFloats, value, zeros, type KernelDefinition } from "../../kernel.ts";
import wgsl from "./kernel.wgsl?raw";

export const RMS_EPSILON = 1e-5;

/** y = x · inverse · gain with inverse = 1/√(mean(x²) + ε), kept for the gradient (RMSNorm, arXiv 1910.07467). */
export const rmsNorm: KernelDefinition = {
  name: "rms-norm",
  bindings: [
    { name: "x", kind: "f32", access: "read" },
    { name: "gain", kind: "f32", access: "read" },
    { name: "y", kind: "f32", access: "write" },
    { name: "inverse", kind: "f32", access: "write" },
  ],
  sizes: ["width"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows"),
  workgroupSize: 64,
  wgsl,
  tolerance: 1e-5,
  reference(views, values) {
    const [x, gain, y, inverse] = [f32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3)];
    const [rows, width] = [value(values, "rows"), value(values, "width")];
    for (let row = 0; row < rows; row += 1) {
      let squares = 0;
      for (let d = 0; d < width; d += 1) squares += (x[row * width + d] ?? 0) ** 2;
      const scale = 1 / Math.sqrt(squares / width + RMS_EPSILON);
      inverse[row] = scale;
      for (let d = 0; d < width; d += 1) y[row * width + d] = (x[row * width + d] ?? 0) * scale * (gain[d] ?? 0);
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => ({
      label: `${rows} rows`,
      views: [randomFloats(rng, rows * 28), randomFloats(rng, 28), zeros(rows * 28), zeros(rows)],
      values: { rows, width: 28 },
    })),
};
