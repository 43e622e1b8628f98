import { entropy, maskByBits, normalise } from "../../wasm/legal-row";

export function tokenStats(logits: usize, targets: usize, legal: usize, stats: usize, vocabulary: u32, stride: u32, words: u32, rows: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const from = logits + ((<usize>(row * stride)) << 2);
    const token = load<u32>(targets + ((<usize>row) << 3));
    const state = load<u32>(targets + ((<usize>row) << 3), 4);
    maskByBits(from, vocabulary, legal + ((<usize>(state * words)) << 2));
    const normaliser = normalise(vocabulary);
    const to = stats + ((<usize>row) << 4);
    store<f32>(to, load<f32>(from + ((<usize>token) << 2)) - normaliser);
    store<f32>(to, entropy(vocabulary), 4);
    store<f32>(to, normaliser, 8);
    store<f32>(to, 0, 12);
  }
}
