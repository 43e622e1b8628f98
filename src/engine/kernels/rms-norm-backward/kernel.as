import { madd, sumLanes } from "../../wasm/vector";

export function rmsNormBackward(x: usize, gain: usize, inverse: usize, dy: usize, dx: usize, width: u32, accumulate: u32, rows: u32): void {
  const bytes = (<usize>width) << 2;
  for (let row: u32 = 0; row < rows; row++) {
    const shift = (<usize>row) * bytes;
    const scale = load<f32>(inverse + ((<usize>row) << 2));
    let dots = f32x4.splat(0);
    for (let d: usize = 0; d < bytes; d += 16)
      dots = madd(f32x4.mul(v128.load(gain + d), v128.load(dy + shift + d)), v128.load(x + shift + d), dots);
    const along = f32x4.splat(-(scale * scale * scale) * sumLanes(dots) / <f32>width);
    const scales = f32x4.splat(scale);
    for (let d: usize = 0; d < bytes; d += 16) {
      const to = dx + shift + d;
      let amount = f32x4.mul(f32x4.mul(v128.load(gain + d), v128.load(dy + shift + d)), scales);
      amount = madd(v128.load(x + shift + d), along, amount);
      if (accumulate == 1) amount = f32x4.add(amount, v128.load(to));
      v128.store(to, amount);
    }
  }
}
