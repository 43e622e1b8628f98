import { KernelError } from "#core/errors.ts";
import { rangeOf, type BufferRange, type DeviceBuffer } from "./executor.ts";
import type { KernelDefinition, Values } from "./kernel.ts";

/** Checks a call against its definition; every executor does this before it runs. @throws KernelError */
export function checkedRanges(kernel: KernelDefinition, bindings: readonly (DeviceBuffer | BufferRange)[], values: Values): readonly BufferRange[] {
  if (bindings.length !== kernel.bindings.length)
    throw new KernelError(`${kernel.name}: got ${bindings.length} buffers, needs ${kernel.bindings.length}`);
  const ranges = bindings.map(rangeOf);
  for (const [index, { buffer, offset, length }] of ranges.entries()) {
    const expected = kernel.bindings[index];
    if (buffer.kind !== expected?.kind)
      throw new KernelError(`${kernel.name}: ${expected?.name ?? index} got ${buffer.kind} buffer ${buffer.label}, needs ${expected?.kind ?? "none"}`);
    if (offset % 64 !== 0 || offset < 0 || length <= 0 || offset + length > buffer.length)
      throw new KernelError(`${kernel.name}: ${expected.name} got range ${offset}+${length} of ${buffer.label} (${buffer.length}); offsets are multiples of 64`);
  }
  for (const name of [...kernel.sizes, ...kernel.params.map((param) => param.name)])
    if (!Number.isFinite(values[name])) throw new KernelError(`${kernel.name}: value ${name} is ${String(values[name])}, needs a finite number`);
  return ranges;
}
