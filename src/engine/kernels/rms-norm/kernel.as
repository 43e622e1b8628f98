import { madd, sumLanes } from "../../wasm/vector";

const EPSILON: f32 = 1e-5;

export function rmsNorm(x: usize, gain: usize, y: usize, inverse: usize, width: u32, rows: u32): void {
  const bytes = (<usize>width) << 2;
  for (let row: u32 = 0; row < rows; row++) {
    const from = x + (<usize>row) * bytes;
    const to = y + (<usize>row) * bytes;
    let squares = f32x4.splat(0);
    for (let d: usize = 0; d < bytes; d += 16) {
      const value = v128.load(from + d);
      squares = madd(value, value, squares);
    }
    const scale: f32 = <f32>1 / Mathf.sqrt(sumLanes(squares) / <f32>width + EPSILON);
    store<f32>(inverse + ((<usize>row) << 2), scale);
    const scales = f32x4.splat(scale);
    for (let d: usize = 0; d < bytes; d += 16) v128.store(to + d, f32x4.mul(f32x4.mul(v128.load(from + d), scales), v128.load(gain + d)));
  }
}
