import type { DeviceBuffer, Executor } from "./executor.ts";
import type { ElementKind } from "./kernel.ts";

/** A buffer is made this much larger than asked for, so that it need not grow with every pass. */
export const GROWTH = 1.25;

/** Scratch buffers by name, kept between passes and grown when a larger pass comes; contents do not survive growth. */
export class Workspace {
  readonly #executor: Executor;
  readonly #buffers = new Map<string, DeviceBuffer>();

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  get(name: string, kind: ElementKind, length: number): DeviceBuffer {
    const known = this.#buffers.get(name);
    if (known && known.length >= length) return known;
    if (known) this.#executor.free(known);
    this.#buffers.delete(name);
    const buffer = this.#executor.alloc(name, kind, Math.ceil((length * GROWTH) / 64) * 64);
    this.#buffers.set(name, buffer);
    return buffer;
  }

  dispose(): void {
    for (const buffer of this.#buffers.values()) this.#executor.free(buffer);
    this.#buffers.clear();
  }
}
