import { f32, ODD_SIZES, randomFloats, value, type KernelDefinition } from "../../kernel.ts";
import wgsl from "./kernel.wgsl?raw";

/**
 * dx (+)= inverse·(gain·dy) − x·inverse³/width · Σ(gain·dy·x); added to what dx holds when `accumulate` is 1.
 */
export const rmsNormBackward: KernelDefinition = {
  name: "rms-norm-backward",
  bindings: [
    { name: "x", kind: "f32", access: "read" },
    { name: "gain", kind: "f32", access: "read" },
    { name: "inverse", kind: "f32", access: "read" },
    { name: "dy", kind: "f32", access: "read" },
    { name: "dx", kind: "f32", access: "write" },
  ],
  sizes: ["width", "accumulate"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows"),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [x, gain, inverse, dy, dx] = [f32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3), f32(views, 4)];
    const [rows, width, accumulate] = [value(values, "rows"), value(values, "width"), value(values, "accumulate")];
    for (let row = 0; row < rows; row += 1) {
      const scale = inverse[row] ?? 0;
      let dot = 0;
      for (let d = 0; d < width; d += 1) dot += (gain[d] ?? 0) * (dy[row * width + d] ?? 0) * (x[row * width + d] ?? 0);
      for (let d = 0; d < width; d += 1) {
        const at = row * width + d;
        const gradient = scale * (gain[d] ?? 0) * (dy[at] ?? 0) - ((x[at] ?? 0) * scale ** 3 * dot) / width;
        dx[at] = gradient + (accumulate === 1 ? (dx[at] ?? 0) : 0);
      }
    }
  },
  cases: (rng) =>
    ODD_SIZES.flatMap((rows) =>
      [0, 1].map((accumulate) => ({
        label: `${rows} rows, accumulate ${accumulate}`,
        views: [randomFloats(rng, rows * 28), randomFloats(rng, 28), randomFloats(rng, rows, 2), randomFloats(rng, rows * 28), randomFloats(rng, rows * 28)],
        values: { rows, width: 28, accumulate },
      })),
    ),
};
