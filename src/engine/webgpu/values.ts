import { KernelError } from "#core/errors.ts";
import type { ElementKind, KernelDefinition, Values, View } from "../kernel.ts";

export const ELEMENT_BYTES = 4;
const bits = new DataView(new ArrayBuffer(ELEMENT_BYTES));

/** A value as the 32 bits the device gets. @throws KernelError */
function wordOf(kernel: KernelDefinition, name: string, kind: ElementKind, values: Values): number {
  const value = values[name];
  if (value === undefined || !Number.isFinite(value)) throw new KernelError(`${kernel.name}: value ${name} is ${String(value)}, needs a finite number`);
  if (kind === "f32") {
    bits.setFloat32(0, value, true);
    return bits.getUint32(0, true);
  }
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff)
    throw new KernelError(`${kernel.name}: value ${name} is ${value}, needs an integer from 0 to 2^32 − 1`);
  return value;
}

/** The sizes of a call, in the order of the definition. */
export const sizesOf = (kernel: KernelDefinition, values: Values): readonly number[] => kernel.sizes.map((name) => wordOf(kernel, name, "u32", values));

/** The params of a call as the words of the uniform struct. */
export const paramsOf = (kernel: KernelDefinition, values: Values): readonly number[] =>
  kernel.params.map(({ name, kind }) => wordOf(kernel, name, kind, values));

export const viewOf = (kind: ElementKind, bytes: ArrayBuffer): View => (kind === "f32" ? new Float32Array(bytes) : new Uint32Array(bytes));
