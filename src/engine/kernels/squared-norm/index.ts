import { f32, ODD_SIZES, randomFloats, value, zeros, type KernelDefinition } from "../../kernel.ts";
import wgsl from "./kernel.wgsl?raw";

/** Number of partial sums: fixed, so that the order of addition is. */
export const NORM_PARTS = 64;

/** partials[p] = Σ x² over the p-th of NORM_PARTS equal runs of x; count is a multiple of NORM_PARTS. */
export const squaredNorm: KernelDefinition = {
  name: "squared-norm",
  bindings: [
    { name: "x", kind: "f32", access: "read" },
    { name: "partials", kind: "f32", access: "write" },
  ],
  sizes: ["count"],
  params: [],
  threads: () => NORM_PARTS,
  workgroupSize: 64,
  wgsl,
  tolerance: 1e-5,
  reference(views, values) {
    const [x, partial] = [f32(views, 0), f32(views, 1)];
    const run = value(values, "count") / NORM_PARTS;
    for (let part = 0; part < NORM_PARTS; part += 1) {
      let sum = 0;
      for (let index = part * run; index < (part + 1) * run; index += 1) sum += (x[index] ?? 0) ** 2;
      partial[part] = sum;
    }
  },
  cases: (rng) => ODD_SIZES.map((size) => ({ label: `${size * 64}`, views: [randomFloats(rng, size * 64), zeros(NORM_PARTS)], values: { count: size * 64 } })),
};
