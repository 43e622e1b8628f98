import { KernelError } from "#core/errors.ts";

const PAGE = 65536;
/** Ranges start on 256 bytes; below FIRST lie the module's own scratch rows. */
const ALIGN = 256;
const FIRST = 2 * PAGE;
const MAX_PAGES = 32768;
export const MEMORY_LIMIT = MAX_PAGES * PAGE;

interface Range {
  readonly start: number;
  readonly bytes: number;
}

/** First-fit allocator over one WebAssembly memory: free ranges sorted by address, neighbours joined. */
export class WasmMemory {
  readonly memory = new WebAssembly.Memory({ initial: FIRST / PAGE });
  #free: Range[] = [];
  #end = FIRST;

  /** @returns a pointer to zeroed bytes. @throws KernelError when the memory cannot grow. */
  alloc(bytes: number): number {
    const size = Math.ceil(Math.max(bytes, 1) / ALIGN) * ALIGN;
    const index = this.#free.findIndex((range) => range.bytes >= size);
    const range = this.#free[index];
    if (range) {
      this.#free.splice(index, 1, ...(range.bytes > size ? [{ start: range.start + size, bytes: range.bytes - size }] : []));
      new Uint8Array(this.memory.buffer, range.start, size).fill(0);
      return range.start;
    }
    const start = this.#end;
    const pages = Math.ceil((start + size) / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (pages > 0) this.#grow(pages, size);
    this.#end = start + size;
    return start;
  }

  free(start: number, bytes: number): void {
    const size = Math.ceil(Math.max(bytes, 1) / ALIGN) * ALIGN;
    const at = this.#free.findIndex((range) => range.start > start);
    this.#free.splice(at < 0 ? this.#free.length : at, 0, { start, bytes: size });
    const joined: Range[] = [];
    for (const range of this.#free) {
      const last = joined.at(-1);
      if (last && last.start + last.bytes === range.start) joined[joined.length - 1] = { start: last.start, bytes: last.bytes + range.bytes };
      else joined.push(range);
    }
    this.#free = joined;
  }

  #grow(pages: number, size: number): void {
    const now = this.memory.buffer.byteLength / PAGE;
    // Growing by at least an eighth keeps the number of moves low.
    for (const step of [Math.max(pages, now >>> 3), pages])
      if (now + step <= MAX_PAGES)
        try {
          this.memory.grow(step);
          return;
        } catch {
          // Tried again with exactly what is needed, then reported.
        }
    throw new KernelError(`out of memory: ${Math.round(size / 1e6)} MB more than the ${Math.round((now * PAGE) / 1e6)} MB in use do not fit`, { fault: "out-of-memory" });
  }
}
