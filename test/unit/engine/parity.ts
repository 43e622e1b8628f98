import { expect } from "vitest";
import type { BufferRange, DeviceBuffer, Executor } from "#engine/executor.ts";
import type { KernelCase, KernelDefinition } from "#engine/kernel.ts";

/** Runs one case on an executor and holds every output to the TypeScript definition. */
export async function expectParity(executor: Executor, kernel: KernelDefinition, { views, values, label }: KernelCase): Promise<void> {
  const expected = views.map((view) => view.slice());
  // A view given twice is one buffer, as queries and keys are while training.
  for (const [index, view] of views.entries()) expected[index] = expected[views.indexOf(view)] ?? view;
  kernel.reference(expected, values);
  const buffers: DeviceBuffer[] = [];
  const bindings: (DeviceBuffer | BufferRange)[] = views.map((view, index) => {
    const first = views.indexOf(view);
    const buffer = buffers[first] ?? executor.alloc(`${kernel.name} ${kernel.bindings[index]?.name ?? ""}`, view instanceof Float32Array ? "f32" : "u32", view.length);
    buffers[index] = buffer;
    executor.upload(buffer, view);
    return buffer;
  });
  executor.run(kernel, bindings, values);
  for (const [index, binding] of kernel.bindings.entries()) {
    if (binding.access !== "write") continue;
    const [buffer, want] = [buffers[index], expected[index]];
    if (!buffer || !want) throw new Error("missing output");
    const got = await executor.read(buffer);
    for (const [at, value] of want.entries()) {
      const found = got[at] ?? NaN;
      if (!(Math.abs(found - value) <= kernel.tolerance * (1 + Math.abs(value))))
        expect.fail(`${kernel.name} (${label}): ${binding.name}[${at}] is ${found}, the definition says ${value}`);
    }
  }
  for (const buffer of new Set(buffers)) executor.free(buffer);
}
