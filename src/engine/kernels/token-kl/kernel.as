import { exp4 } from "../../wasm/vector";
import { FAR_BELOW, maskByBits, masked } from "../../wasm/legal-row";

export function tokenKl(
  logits: usize, reference: usize, targets: usize, legal: usize, stats: usize, referenceStats: usize, kl: usize,
  vocabulary: u32, stride: u32, words: u32, rows: u32,
): void {
  for (let row: u32 = 0; row < rows; row++) {
    const shift = (<usize>(row * stride)) << 2;
    const state = load<u32>(targets + ((<usize>row) << 3), 4);
    maskByBits(logits + shift, vocabulary, legal + ((<usize>(state * words)) << 2));
    const normaliser = load<f32>(stats + ((<usize>row) << 4), 8);
    const referenceNormaliser = load<f32>(referenceStats + ((<usize>row) << 4), 8);
    let sum: f32 = 0;
    for (let token: u32 = 0; token < vocabulary; token++) {
      const at = (<usize>token) << 2;
      const logit = load<f32>(masked + at);
      if (logit == FAR_BELOW) continue;
      const logprob = logit - normaliser;
      const p = f32x4.extract_lane(exp4(f32x4.splat(logprob)), 0);
      sum += p * (logprob - (load<f32>(reference + shift + at) - referenceNormaliser));
    }
    store<f32>(kl + ((<usize>row) << 2), sum);
  }
}
