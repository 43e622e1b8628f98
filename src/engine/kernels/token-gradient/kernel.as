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
    memory.fill(dLogits + shift, 0, (<usize>stride) << 2);
    for (let token: u32 = 0; token < vocabulary; token++) {
      if (((load<u32>(bits + ((<usize>(token >> 5)) << 2)) >> (token & 31)) & 1) == 0) continue;
      const at = shift + ((<usize>token) << 2);
      const logprob = load<f32>(logits + at) - normaliser;
      const p = f32x4.extract_lane(exp4(f32x4.splat(logprob)), 0);
      let gradient = dLogprob * ((token == chosen ? <f32>1 : <f32>0) - p) - dEntropy * p * (logprob + entropy);
      if (dKl != 0) gradient += dKl * p * (logprob - (load<f32>(reference + at) - referenceNormaliser) - kl);
      store<f32>(dLogits + at, gradient);
    }
  }
}
