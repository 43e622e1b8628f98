import { legal4 } from "../../wasm/legal-row";
import { exp4 } from "../../wasm/vector";

export function tokenGradient(
  logits: usize, reference: usize, targets: usize, legal: usize, stats: usize, referenceStats: usize, coefficients: usize, dLogits: usize,
  vocabulary: u32, stride: u32, words: u32, rows: u32,
): void {
  for (let row: u32 = 0; row < rows; row++) {
    const shift = (<usize>(row * stride)) << 2;
    const chosen = load<u32>(targets + ((<usize>row) << 3));
    const bits = legal + ((<usize>(load<u32>(targets + ((<usize>row) << 3), 4) * words)) << 2);
    const normaliser = load<f32>(stats + ((<usize>row) << 4), 8);
    const entropy = load<f32>(stats + ((<usize>row) << 4), 4);
    const referenceNormaliser = load<f32>(referenceStats + ((<usize>row) << 4), 8);
    const dLogprob = load<f32>(coefficients + ((<usize>row) << 4));
    const dEntropy = load<f32>(coefficients + ((<usize>row) << 4), 4);
    const dKl = load<f32>(coefficients + ((<usize>row) << 4), 8);
    const kl = load<f32>(coefficients + ((<usize>row) << 4), 12);
    for (let token: u32 = 0; token < stride; token += 4) {
      const at = shift + ((<usize>token) << 2);
      if (token >= vocabulary) {
        v128.store(dLogits + at, f32x4.splat(0));
        continue;
      }
      const logprob = f32x4.sub(v128.load(logits + at), f32x4.splat(normaliser));
      const p = exp4(logprob);
      const hit = v128.and(i32x4.eq(i32x4.add(i32x4.splat(token), i32x4(0, 1, 2, 3)), i32x4.splat(chosen)), f32x4.splat(1));
      let gradient = f32x4.sub(
        f32x4.mul(f32x4.splat(dLogprob), f32x4.sub(hit, p)),
        f32x4.mul(f32x4.mul(f32x4.splat(dEntropy), p), f32x4.add(logprob, f32x4.splat(entropy))),
      );
      if (dKl != 0) {
        const distance = f32x4.sub(logprob, f32x4.sub(v128.load(reference + at), f32x4.splat(referenceNormaliser)));
        gradient = f32x4.add(gradient, f32x4.mul(f32x4.mul(f32x4.splat(dKl), p), f32x4.sub(distance, f32x4.splat(kl))));
      }
      v128.store(dLogits + at, v128.and(gradient, legal4(bits, token)));
    }
  }
}
