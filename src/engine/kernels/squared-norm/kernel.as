import { sumLanes } from "../../wasm/vector";

const PARTS: u32 = 64;

/** A run's four lanes are summed apart, then together; runs are scalar where they are not a multiple of four long. */
export function squaredNorm(x: usize, partial: usize, count: u32): void {
  const run = count / PARTS;
  for (let part: u32 = 0; part < PARTS; part++) {
    const from = x + ((<usize>(part * run)) << 2);
    let sums = f32x4.splat(0);
    let index: u32 = 0;
    for (; index + 4 <= run; index += 4) {
      const value = v128.load(from + ((<usize>index) << 2));
      sums = f32x4.add(sums, f32x4.mul(value, value));
    }
    let sum = sumLanes(sums);
    for (; index < run; index++) {
      const value = load<f32>(from + ((<usize>index) << 2));
      sum += value * value;
    }
    store<f32>(partial + ((<usize>part) << 2), sum);
  }
}
