const PAGE = 4096;
/** The C stack is a few megabytes of which hardly any was ever touched; nothing else in an engine that has just started is so empty. */
const LEAST_GAP = 1024 * 1024;

interface Part {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Last byte that is not zero, and the longest stretch of zero pages before it. */
function layout(memory: Uint8Array): { readonly end: number; readonly gap: readonly [number, number] } {
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end -= 1;
  let gap: readonly [number, number] = [0, 0];
  let start = 0;
  for (let page = 0; page < end; page += PAGE) {
    if (memory.subarray(page, page + PAGE).every((byte) => byte === 0)) continue;
    if (page - start > gap[1] - gap[0]) gap = [start, page];
    start = page + PAGE;
  }
  return { end, gap };
}

/**
 * The memory of an engine at one moment, to which it can be put back: between two calls from outside, all that an engine compiled to
 * WebAssembly knows lies in its memory. The untouched part of its stack is left out, and so is what it got later: both are only ever read
 * after they were written.
 */
export class HeapImage {
  readonly #memory: WebAssembly.Memory;
  readonly #parts: readonly Part[];
  /** Bytes from the start of the memory to the end of the image. */
  readonly end: number;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    const bytes = new Uint8Array(memory.buffer);
    const { end, gap } = layout(bytes);
    this.end = end;
    const ranges: readonly (readonly [number, number])[] = gap[1] - gap[0] < LEAST_GAP ? [[0, end]] : [[0, gap[0]], [gap[1], end]];
    this.#parts = ranges.map(([from, to]) => ({ at: from, bytes: bytes.slice(from, to) }));
  }

  restore(): void {
    const bytes = new Uint8Array(this.#memory.buffer);
    for (const part of this.#parts) bytes.set(part.bytes, part.at);
  }
}
