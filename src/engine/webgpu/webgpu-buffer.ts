import type { DeviceBuffer } from "../executor.ts";
import type { ElementKind } from "../kernel.ts";

/** A buffer of one executor, its owner. */
export class WebGpuBuffer implements DeviceBuffer {
  readonly label: string;
  readonly kind: ElementKind;
  readonly length: number;
  readonly id: number;
  readonly bytes: number;
  readonly gpu: GPUBuffer;
  readonly owner: object;
  /** Number of the recording that last used it; a buffer in the current one may not be written from outside before it is submitted. */
  usedIn = -1;
  freed = false;
  /** Bind groups to forget with it. */
  readonly boundIn = new Set<string>();
  constructor(owner: object, id: number, label: string, kind: ElementKind, length: number, bytes: number, gpu: GPUBuffer) {
    this.owner = owner;
    this.id = id;
    this.label = label;
    this.kind = kind;
    this.length = length;
    this.bytes = bytes;
    this.gpu = gpu;
  }
}

/** Part of a buffer, as a bind group takes it. */
export interface BoundRange {
  readonly buffer: WebGpuBuffer;
  /** In bytes. */
  readonly offset: number;
  readonly size: number;
}
