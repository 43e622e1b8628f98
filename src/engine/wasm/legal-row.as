import { exp4, largestLane, sumLanes } from "./vector";

/** Largest vocabulary the kernels have scratch room for. */
const MAX_VOCABULARY: usize = 4096;
/** Logits of one row with the illegal ones (and the padding to a multiple of four) far below everything. */
export const masked = memory.data(<i32>MAX_VOCABULARY * 4 + 16, 16);
/** exp(logit − largest) of the same row, after `normalise`. */
export const weights = memory.data(<i32>MAX_VOCABULARY * 4 + 16, 16);
export const FAR_BELOW: f32 = -1e30;

export let largest: f32 = 0;
export let total: f32 = 0;
let logTotal: f32 = 0;

/** All ones in the lanes of the four tokens from `token` on, a multiple of four, that are legal. */
// @ts-ignore: decorator
@inline
export function legal4(bits: usize, token: u32): v128 {
  const four = i32x4.splat(load<u32>(bits + ((<usize>(token >> 5)) << 2)) >> (token & 31));
  return i32x4.ne(v128.and(four, i32x4(1, 2, 4, 8)), i32x4.splat(0));
}

/** @param bits has none beyond the vocabulary; up to three logits beyond it are read */
export function maskByBits(logits: usize, vocabulary: u32, bits: usize): void {
  for (let token: u32 = 0; token < vocabulary; token += 4) {
    const at = (<usize>token) << 2;
    v128.store(masked + at, v128.bitselect(v128.load(logits + at), f32x4.splat(FAR_BELOW), legal4(bits, token)));
  }
}

/** Sets `largest`, `total` and `weights` of the masked row; returns its log-normaliser. */
export function normalise(vocabulary: u32): f32 {
  const padded = (vocabulary + 3) & ~3;
  for (let token = vocabulary; token < padded; token++) store<f32>(masked + ((<usize>token) << 2), FAR_BELOW);
  const bytes = (<usize>padded) << 2;
  let highest = f32x4.splat(FAR_BELOW);
  for (let at: usize = 0; at < bytes; at += 16) highest = f32x4.pmax(highest, v128.load(masked + at));
  largest = largestLane(highest);
  let sums = f32x4.splat(0);
  for (let at: usize = 0; at < bytes; at += 16) {
    const weight = exp4(f32x4.sub(v128.load(masked + at), f32x4.splat(largest)));
    v128.store(weights + at, weight);
    sums = f32x4.add(sums, weight);
  }
  total = sumLanes(sums);
  logTotal = Mathf.log(total);
  return largest + logTotal;
}

/** Entropy in nats of the row just normalised. */
export function entropy(vocabulary: u32): f32 {
  const bytes = (<usize>((vocabulary + 3) & ~3)) << 2;
  let sums = f32x4.splat(0);
  for (let at: usize = 0; at < bytes; at += 16)
    sums = f32x4.add(sums, f32x4.mul(v128.load(weights + at), f32x4.pmax(f32x4.sub(v128.load(masked + at), f32x4.splat(largest)), f32x4.splat(-1e4))));
  return logTotal - sumLanes(sums) / total;
}
