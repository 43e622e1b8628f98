const MAX_POOLED = 4;
const SMALLEST = 1024;

interface Staging {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
}

/** Buffers that the host maps to read from, used again and again; as many at once as reads are in flight. */
export class StagingPool {
  readonly #device: GPUDevice;
  readonly #free: Staging[] = [];
  #disposed = false;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  take(bytes: number): Staging {
    const at = this.#free.findIndex((staging) => staging.bytes >= bytes && staging.bytes <= bytes * 4);
    const [known] = at < 0 ? [] : this.#free.splice(at, 1);
    if (known !== undefined) return known;
    const size = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(bytes)));
    return {
      bytes: size,
      buffer: this.#device.createBuffer({ label: `staging ${size}`, size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }),
    };
  }

  giveBack(staging: Staging): void {
    if (this.#disposed || this.#free.length >= MAX_POOLED) staging.buffer.destroy();
    else this.#free.push(staging);
  }

  dispose(): void {
    this.#disposed = true;
    for (const { buffer } of this.#free) buffer.destroy();
    this.#free.length = 0;
  }
}
