import type { Arithmetic } from "#core/policy.ts";
import type { ElementKind, KernelDefinition, Values, View } from "./kernel.ts";

/** A range of a device buffer; `offset` and `length` in elements. Offsets are multiples of 64 elements (256 bytes). */
export interface BufferRange {
  readonly buffer: DeviceBuffer;
  readonly offset: number;
  readonly length: number;
}

/** Owned by whoever allocated it; freeing twice is an error. */
export interface DeviceBuffer {
  readonly label: string;
  readonly kind: ElementKind;
  readonly length: number;
}

/** What a backend must do; the model is written once against this. */
export interface Executor {
  readonly arithmetic: Arithmetic;
  /**
   * Rows of a pass that are best taken through all layers together: where what one kernel writes is then found in the caches by the next, or
   * where a call on more of them would last so long that others wait for the device. @param operations floating-point, of the heaviest kernel, a row
   */
  rowsAtOnce(operations: number): number;
  /** Bytes there can be in all; Infinity where that is not known beforehand. */
  readonly memoryLimit: number;
  /**
   * Pieces of work that may well be under way before the first one's result is waited for; 0 where `run` returns when the work is done. Where
   * it is not, a read is a wait, so that what the work itself can decide is better left to it.
   */
  readonly queueDepth: number;
  /** Buffers allocated and not freed. */
  readonly liveBuffers: number;
  /** Bytes of them. */
  readonly liveBytes: number;
  /** Zero-filled. @throws KernelError when out of memory. */
  alloc(label: string, kind: ElementKind, length: number): DeviceBuffer;
  free(buffer: DeviceBuffer): void;
  /** @param offset in elements */
  upload(buffer: DeviceBuffer, values: View, offset?: number): void;
  clear(buffer: DeviceBuffer): void;
  /** Queued in order; no wait. @throws KernelError when bindings or values do not fit the definition. */
  run(kernel: KernelDefinition, bindings: readonly (DeviceBuffer | BufferRange)[], values: Values): void;
  /** The buffer's memory where host and device share it, valid until the next `alloc`; undefined on a GPU. */
  view(buffer: DeviceBuffer): View | undefined;
  /** A copy, as it is after what was run so far. Reads asked for together, before anything is awaited, are one wait. @throws DeviceLostError */
  read(buffer: DeviceBuffer, offset?: number, length?: number): Promise<View>;
  /** Buffers of the caller's are freed too. */
  dispose(): void;
}

/** Elements that every tensor in a shared buffer is padded to, so that its offset is a legal binding offset. */
const ALIGNMENT = 64;
export const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

export const rangeOf = (binding: DeviceBuffer | BufferRange): BufferRange =>
  "buffer" in binding ? binding : { buffer: binding, offset: 0, length: binding.length };
