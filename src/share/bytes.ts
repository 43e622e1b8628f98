import { LinkError } from "#core/errors.ts";

/** Numbers and texts as bytes: whole numbers in groups of seven bits, low ones first, the sign in the lowest bit (varint, zigzag). */
export class ByteWriter {
  readonly #bytes: number[] = [];

  byte(value: number): void {
    this.#bytes.push(value & 0xff);
  }

  /** 0 to 2^31 − 1; anything else becomes the nearest of these. */
  whole(value: number): void {
    let rest = Math.min(0x7fff_ffff, Math.max(0, Math.round(value)));
    for (; rest >= 0x80; rest >>>= 7) this.#bytes.push((rest & 0x7f) | 0x80);
    this.#bytes.push(rest);
  }

  /** `value` in steps of `step`, signed. */
  quantised(value: number, step: number): void {
    const steps = Math.max(-LARGEST, Math.min(LARGEST, Math.round(value / step)));
    this.whole(steps < 0 ? -2 * steps - 1 : 2 * steps);
  }

  short(value: number): void {
    this.byte(value);
    this.byte(value >>> 8);
  }

  /** The upper half of the number's 32 bits, rounded: about two and a half digits. */
  rough(value: number): void {
    const bits = new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0;
    this.short(Math.min(0xffff, (bits >>> 16) + ((bits >>> 15) & 1)));
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.whole(bytes.length);
    for (const byte of bytes) this.#bytes.push(byte);
  }

  done(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes);
  }
}

const LARGEST = 0x3fff_ffff;

const damaged = (): LinkError => new LinkError("the evidence is damaged: it may have been cut off", { fault: "evidence-broken" });

/** Reads what a `ByteWriter` wrote, never beyond its end nor beyond a limit. @throws LinkError from every method */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw damaged();
    this.#at += 1;
    return value;
  }

  /** @param what named where the number is larger than `most` */
  whole(most: number, what: string): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte >= 0x80) continue;
      if (value > most) throw new LinkError(`the evidence says ${what} ${value}; allowed are 0 to ${most}`, { fault: "evidence-range" });
      return value;
    }
    throw damaged();
  }

  quantised(step: number): number {
    const value = this.whole(2 * LARGEST, "a number of steps");
    return (value % 2 === 1 ? -(value + 1) / 2 : value / 2) * step;
  }

  short(): number {
    return this.byte() + 256 * this.byte();
  }

  /** Finite and not negative. */
  rough(): number {
    const value = new Float32Array(new Uint32Array([this.short() << 16]).buffer)[0] ?? 0;
    if (!Number.isFinite(value) || value < 0) throw new LinkError(`the evidence has ${value} for a distance`, { fault: "evidence-range" });
    return value;
  }

  /** @param most bytes */
  text(most: number, what: string): string {
    const length = this.whole(most, `as the length of ${what}`);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw damaged();
    this.#at += length;
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw damaged();
    }
  }

  /** @throws LinkError unless everything was read */
  end(): void {
    if (this.#at !== this.#bytes.length) throw damaged();
  }
}
