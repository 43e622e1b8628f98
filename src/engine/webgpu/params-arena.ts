import { ELEMENT_BYTES } from "./values.ts";

/** Params of the calls of one submit, side by side in one uniform buffer; calls with the same params share a slot. */
export class ParamsArena {
  readonly #slotBytes: number;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #slots = new Map<string, number>();
  readonly buffer: GPUBuffer;

  constructor(device: GPUDevice, slots: number) {
    this.#slotBytes = device.limits.minUniformBufferOffsetAlignment;
    this.#words = new Uint32Array((slots * this.#slotBytes) / ELEMENT_BYTES);
    this.buffer = device.createBuffer({ label: "params", size: this.#words.byteLength, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  }

  /** Byte offset of the slot that holds these words. */
  slotOf(params: readonly number[]): number {
    const key = params.join();
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const offset = this.#slots.size * this.#slotBytes;
    this.#words.set(params, offset / ELEMENT_BYTES);
    this.#slots.set(key, offset);
    return offset;
  }

  /** Call right before the submit: the queue does this after every earlier submit, so no slot changes under a dispatch that reads it. */
  write(queue: GPUQueue): void {
    const used = (this.#slots.size * this.#slotBytes) / ELEMENT_BYTES;
    if (used > 0) queue.writeBuffer(this.buffer, 0, this.#words, 0, used);
    this.#slots.clear();
  }
}
