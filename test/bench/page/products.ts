import type { DeviceBuffer, Executor } from "#engine/executor.ts";
import { MATMUL, matmul } from "#engine/kernels/matmul/index.ts";
import { matmulGradient } from "#engine/kernels/matmul-gradient/index.ts";
import { SHARDS } from "#engine/kernels/rows.ts";
import type { Problem } from "./problem.ts";

/** Matrix products of one layer and of the head: [inputs, outputs]. */
const shapesOf = ({ layout: { headColumns, config: { width, layers } } }: Problem): readonly (readonly [number, number])[] => [
  ...Array.from({ length: layers }, () => [[width, 3 * width], [width, width], [width, 4 * width], [4 * width, width]] as const).flat(),
  [width, headColumns],
];

/** Buffers by executor and size, kept between rounds. */
const kept = new WeakMap<Executor, Map<string, DeviceBuffer>>();

/** Runs the matrix products of a training step alone: forward, towards the inputs, towards the weights. @returns their floating-point operations */
export async function products(executor: Executor, problem: Problem): Promise<number> {
  const rows = problem.batch * problem.model.context;
  const buffers = kept.get(executor) ?? new Map<string, DeviceBuffer>();
  kept.set(executor, buffers);
  const get = (name: string, kind: "f32" | "u32", length: number): DeviceBuffer => {
    const key = `${name}/${length}`;
    const buffer = buffers.get(key) ?? executor.alloc(`bench.${key}`, kind, length);
    buffers.set(key, buffer);
    return buffer;
  };
  const starts = get("starts", "u32", SHARDS + 1);
  executor.upload(starts, Uint32Array.from({ length: SHARDS + 1 }, (_, shard) => Math.floor((shard * rows) / SHARDS)));
  let operations = 0;
  for (const [inner, columns] of shapesOf(problem)) {
    const [a, c] = [get("a", "f32", rows * inner), get("c", "f32", rows * columns)];
    const [b, gradient] = [get("b", "f32", inner * columns), get("gradient", "f32", SHARDS * inner * columns)];
    executor.run(matmul, [a, b, a, c], { inner, columns, mode: MATMUL.STORE, rows });
    executor.run(matmul, [c, b, c, a], { inner: columns, columns: inner, mode: MATMUL.STORE, rows });
    executor.run(matmulGradient, [a, c, starts, gradient], { inner, columns, stride: inner * columns });
    operations += 3 * 2 * rows * inner * columns;
  }
  await executor.read(starts, 0, 1);
  return operations;
}
