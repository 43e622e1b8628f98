import type { Rng } from "./chance.ts";

const mix = (input: number): number => {
  let x = input;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
};

/** Counter-based generator: the n-th draw of a stream is a hash of its key and n (two rounds of a 32-bit finaliser). */
class CounterRng implements Rng {
  readonly #low: number;
  readonly #high: number;
  #counter = 0;
  constructor(low: number, high: number) {
    this.#low = low;
    this.#high = high;
  }
  next(): number {
    this.#counter = (this.#counter + 1) | 0;
    const once = mix(Math.imul(this.#counter, 0x9e3779b9) ^ this.#low);
    return (mix((once + this.#high) | 0) >>> 0) / 4294967296;
  }
  fork(label: string): Rng {
    let low = mix(this.#low ^ 0x243f6a88);
    let high = mix(this.#high ^ 0x13198a2e);
    for (let index = 0; index < label.length; index += 1) {
      const unit = label.charCodeAt(index);
      low = mix((low ^ unit) + 0x9e3779b9);
      high = mix((high + unit) ^ Math.imul(low, 0x85ebca6b));
    }
    return new CounterRng(mix(low ^ label.length), mix(high ^ low));
  }
}

/** @param seed any integer; only its low 53 bits matter. */
export const createRng = (seed: number): Rng =>
  new CounterRng(mix(seed | 0), mix(Math.floor(seed / 4294967296) ^ 0x51ed270b)).fork("turnwise");

/** A uniform integer in [0, count). */
export const drawIndex = (rng: Rng, count: number): number => Math.floor(rng.next() * count);

/** @throws RangeError when there is nothing to choose from. */
export function choose<T>(rng: Rng, options: readonly T[]): T {
  const option = options[drawIndex(rng, options.length)];
  if (option === undefined) throw new RangeError("cannot choose from an empty list");
  return option;
}

/** Fisher-Yates; a new array. */
export function shuffled<T>(rng: Rng, items: readonly T[]): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = drawIndex(rng, last + 1);
    const held = result[last] as T;
    result[last] = result[other] as T;
    result[other] = held;
  }
  return result;
}

/** Index drawn from probabilities that sum to 1 up to rounding; the last positive one takes what rounding left. */
export function drawFrom(rng: Rng, probabilities: readonly number[]): number {
  const u = rng.next();
  let sum = 0;
  let last = 0;
  for (const [index, probability] of probabilities.entries()) {
    if (probability <= 0) continue;
    sum += probability;
    last = index;
    if (u < sum) return index;
  }
  return last;
}
