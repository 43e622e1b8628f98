import type { Rng } from "#core/chance.ts";

export type ElementKind = "f32" | "u32";
export type View = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

export interface Binding {
  readonly name: string;
  readonly kind: ElementKind;
  /** "write" buffers are read too where the formula says so. */
  readonly access: "read" | "write";
}

export type Values = Readonly<Record<string, number>>;

/** One run of a kernel for the parity test: a view per binding, outputs holding what was there before. */
export interface KernelCase {
  readonly label: string;
  readonly views: readonly View[];
  readonly values: Values;
}

/**
 * One numeric operation in three forms. `reference` is the definition; the WASM form is the AssemblyScript export of the
 * same name, called with pointers in the order of `bindings`, then `sizes`, then `params`; the WGSL form binds the same
 * buffers as @binding(0..n−1) of group 0, takes `sizes` as `override` constants and `params` as one uniform struct of
 * 4-byte fields at @binding(n).
 */
export interface KernelDefinition {
  readonly name: string;
  /** Inputs, then outputs. */
  readonly bindings: readonly Binding[];
  /** Fixed per model. */
  readonly sizes: readonly string[];
  /** Vary per call. */
  readonly params: readonly { readonly name: string; readonly kind: ElementKind }[];
  /** Invocations of the WGSL form in x (one workgroup is `workgroupSize` of them). */
  threads(values: Values): number;
  readonly workgroupSize: number;
  readonly wgsl: string;
  reference(views: readonly View[], values: Values): void;
  /** |got − expected| ≤ tolerance · (1 + |expected|), per output element. */
  readonly tolerance: number;
  cases(rng: Rng): readonly KernelCase[];
}

/** Typed access to what a kernel was called with. */
export function f32(views: readonly View[], index: number): Float32Array<ArrayBuffer> {
  const view = views[index];
  if (!(view instanceof Float32Array)) throw new TypeError(`binding ${index} is not f32`);
  return view;
}
export function u32(views: readonly View[], index: number): Uint32Array<ArrayBuffer> {
  const view = views[index];
  if (!(view instanceof Uint32Array)) throw new TypeError(`binding ${index} is not u32`);
  return view;
}
export function value(values: Values, name: string): number {
  const found = values[name];
  if (found === undefined) throw new TypeError(`kernel value ${name} is missing`);
  return found;
}

/** `count` values in [−scale, scale). */
export const randomFloats = (rng: Rng, count: number, scale = 1): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: count }, () => (rng.next() * 2 - 1) * scale);

export const zeros = (count: number): Float32Array<ArrayBuffer> => new Float32Array(count);

/** Sizes that every kernel is tried at: alone, odd, and past a block. */
export const ODD_SIZES = [1, 7, 65] as const;
