import { f32, ODD_SIZES, randomFloats, value, type KernelDefinition } from "../../kernel.ts";
import { NORM_PARTS } from "../squared-norm/index.ts";
import wgsl from "./kernel.wgsl?raw";

export const ADAM = { BETA1: 0.9, BETA2: 0.98, EPSILON: 1e-8 } as const;

/**
 * AdamW (arXiv 1711.05101) on gradients clipped to a global norm (arXiv 1211.5063): with g scaled by min(1, maxNorm/‖g‖),
 * m = β1·m + (1−β1)·g, v = β2·v + (1−β2)·g², w −= rate·(m·correction1/(√(v·correction2) + ε) + decay·w);
 * corrections are 1/(1−β^step). ‖g‖² is the sum of the NORM_PARTS values of `normParts`; count is a multiple of 4.
 */
export const adamw: KernelDefinition = {
  name: "adamw",
  bindings: [
    { name: "gradient", kind: "f32", access: "read" },
    { name: "normParts", kind: "f32", access: "read" },
    { name: "weights", kind: "f32", access: "write" },
    { name: "first", kind: "f32", access: "write" },
    { name: "second", kind: "f32", access: "write" },
  ],
  sizes: ["count"],
  params: [
    { name: "rate", kind: "f32" },
    { name: "correction1", kind: "f32" },
    { name: "correction2", kind: "f32" },
    { name: "maxNorm", kind: "f32" },
    { name: "decay", kind: "f32" },
  ],
  // One invocation takes 4 elements.
  threads: (values) => value(values, "count") / 4,
  workgroupSize: 64,
  wgsl,
  tolerance: 1e-5,
  reference(views, values) {
    const [gradient, parts, weights, first, second] = [f32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3), f32(views, 4)];
    let squares = 0;
    for (let part = 0; part < NORM_PARTS; part += 1) squares += parts[part] ?? 0;
    const scale = Math.min(1, value(values, "maxNorm") / Math.sqrt(squares + 1e-20));
    for (let index = 0; index < value(values, "count"); index += 1) {
      const g = (gradient[index] ?? 0) * scale;
      const m = ADAM.BETA1 * (first[index] ?? 0) + (1 - ADAM.BETA1) * g;
      const v = ADAM.BETA2 * (second[index] ?? 0) + (1 - ADAM.BETA2) * g * g;
      first[index] = m;
      second[index] = v;
      const step = (m * value(values, "correction1")) / (Math.sqrt(v * value(values, "correction2")) + ADAM.EPSILON);
      weights[index] = (weights[index] ?? 0) - value(values, "rate") * (step + value(values, "decay") * (weights[index] ?? 0));
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((size) => {
      const count = size * 64;
      const second = randomFloats(rng, count).map((entry) => entry * entry);
      const parts = randomFloats(rng, NORM_PARTS).map((entry) => entry * entry);
      return {
        label: `${count}`,
        views: [randomFloats(rng, count), parts, randomFloats(rng, count), randomFloats(rng, count), second],
        values: { count, rate: 0.01, correction1: 1 / (1 - 0.9 ** 3), correction2: 1 / (1 - 0.98 ** 3), maxNorm: 1, decay: 0.1 },
      };
    }),
};
