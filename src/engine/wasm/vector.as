// Vector helpers of the WASM kernels. In the `relaxed` flavour a·b + c may be one rounded operation, elsewhere it is two.

// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

// @ts-ignore: decorator
@inline
export function splat(pointer: usize): v128 {
  return v128.load32_splat(pointer);
}

/** At this, and a little above, the power of two is 0, and so is exp: masked logits and far scores. */
const LOWEST: f32 = -88.0;

/** 1.5 · 2²³: what is added to it is rounded to a whole number, which then stands in the lowest bits. */
const ROUND: f32 = 12_582_912;

/** exp of four floats, relative error below 3e-7. */
// @ts-ignore: decorator
@inline
export function exp4(input: v128): v128 {
  const x = f32x4.pmax(f32x4.pmin(input, f32x4.splat(88.0)), f32x4.splat(LOWEST));
  const whole = madd(x, f32x4.splat(1.44269504), f32x4.splat(ROUND));
  const n = f32x4.sub(whole, f32x4.splat(ROUND));
  const r = madd(n, f32x4.splat(2.12194440e-4), madd(n, f32x4.splat(-0.693359375), x));
  let p = madd(r, f32x4.splat(1.9875691500e-4), f32x4.splat(1.3981999507e-3));
  p = madd(p, r, f32x4.splat(8.3334519073e-3));
  p = madd(p, r, f32x4.splat(4.1665795894e-2));
  p = madd(p, r, f32x4.splat(1.6666665459e-1));
  p = madd(p, r, f32x4.splat(5.0000001201e-1));
  p = f32x4.add(madd(f32x4.mul(p, r), r, r), f32x4.splat(1.0));
  const exponent = i32x4.add(i32x4.shl(whole, 23), i32x4.splat(127 << 23));
  return f32x4.mul(p, exponent);
}

// @ts-ignore: decorator
@inline
export function sumLanes(x: v128): f32 {
  return (f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 2)) + (f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 3));
}

// @ts-ignore: decorator
@inline
export function largestLane(x: v128): f32 {
  return max(max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)), max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)));
}

/** The four lane sums of a, b, c, d as one vector. */
// @ts-ignore: decorator
@inline
export function sumLanes4(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

/** q · k of one head's key, lanes not yet summed. */
// @ts-ignore: decorator
@inline
export function products(q0: v128, q1: v128, q2: v128, q3: v128, k: usize): v128 {
  return madd(q3, v128.load(k, 48), madd(q2, v128.load(k, 32), madd(q1, v128.load(k, 16), f32x4.mul(q0, v128.load(k)))));
}

/** Four rows of sixteen, `stride` bytes apart, as sixteen vectors with a lane for each row, times `scale`. */
export function toLanes(rows: usize, stride: usize, scale: f32, lanes: usize): void {
  const scales = f32x4.splat(scale);
  for (let chunk: usize = 0; chunk < 64; chunk += 16) {
    const a = v128.load(rows), b = v128.load(rows + stride), c = v128.load(rows + 2 * stride), d = v128.load(rows + 3 * stride);
    const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
    const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5), cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
    v128.store(lanes, f32x4.mul(scales, v128.shuffle<f32>(ab, cd, 0, 1, 4, 5)));
    v128.store(lanes, f32x4.mul(scales, v128.shuffle<f32>(ab, cd, 2, 3, 6, 7)), 16);
    v128.store(lanes, f32x4.mul(scales, v128.shuffle<f32>(abHigh, cdHigh, 0, 1, 4, 5)), 32);
    v128.store(lanes, f32x4.mul(scales, v128.shuffle<f32>(abHigh, cdHigh, 2, 3, 6, 7)), 48);
    rows += 16;
    lanes += 64;
  }
}

/**
 * Products of four rows (`lanes`, see `toLanes`) with keys `stride` bytes apart, four keys at a time; past the last key it is read again.
 * A vector a key, a lane a row, and every sum in the order of `products` and `sumLanes4`: a row alone has the same bits.
 */
export function scoreLanes(lanes: usize, k: usize, stride: usize, keys: u32, to: usize): void {
  const last = k + (<usize>(keys - 1)) * stride;
  for (let key: u32 = 0; key < keys; key += 4) {
    let k0 = k, k1 = min(k + stride, last), k2 = min(k + 2 * stride, last), k3 = min(k + 3 * stride, last);
    k += 4 * stride;
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
    for (let from = lanes; from < lanes + 32; from += 16) {
      let x = v128.load(from);
      let a0 = f32x4.mul(x, splat(k0)), a1 = f32x4.mul(x, splat(k1)), a2 = f32x4.mul(x, splat(k2)), a3 = f32x4.mul(x, splat(k3));
      x = v128.load(from, 64);
      a0 = madd(x, v128.load32_splat(k0, 16), a0); a1 = madd(x, v128.load32_splat(k1, 16), a1);
      a2 = madd(x, v128.load32_splat(k2, 16), a2); a3 = madd(x, v128.load32_splat(k3, 16), a3);
      x = v128.load(from, 128);
      a0 = madd(x, v128.load32_splat(k0, 32), a0); a1 = madd(x, v128.load32_splat(k1, 32), a1);
      a2 = madd(x, v128.load32_splat(k2, 32), a2); a3 = madd(x, v128.load32_splat(k3, 32), a3);
      x = v128.load(from, 192);
      a0 = madd(x, v128.load32_splat(k0, 48), a0); a1 = madd(x, v128.load32_splat(k1, 48), a1);
      a2 = madd(x, v128.load32_splat(k2, 48), a2); a3 = madd(x, v128.load32_splat(k3, 48), a3);
      x = v128.load(from, 32);
      let b0 = f32x4.mul(x, v128.load32_splat(k0, 8)), b1 = f32x4.mul(x, v128.load32_splat(k1, 8));
      let b2 = f32x4.mul(x, v128.load32_splat(k2, 8)), b3 = f32x4.mul(x, v128.load32_splat(k3, 8));
      x = v128.load(from, 96);
      b0 = madd(x, v128.load32_splat(k0, 24), b0); b1 = madd(x, v128.load32_splat(k1, 24), b1);
      b2 = madd(x, v128.load32_splat(k2, 24), b2); b3 = madd(x, v128.load32_splat(k3, 24), b3);
      x = v128.load(from, 160);
      b0 = madd(x, v128.load32_splat(k0, 40), b0); b1 = madd(x, v128.load32_splat(k1, 40), b1);
      b2 = madd(x, v128.load32_splat(k2, 40), b2); b3 = madd(x, v128.load32_splat(k3, 40), b3);
      x = v128.load(from, 224);
      b0 = madd(x, v128.load32_splat(k0, 56), b0); b1 = madd(x, v128.load32_splat(k1, 56), b1);
      b2 = madd(x, v128.load32_splat(k2, 56), b2); b3 = madd(x, v128.load32_splat(k3, 56), b3);
      s0 = f32x4.add(s0, f32x4.add(a0, b0)); s1 = f32x4.add(s1, f32x4.add(a1, b1));
      s2 = f32x4.add(s2, f32x4.add(a2, b2)); s3 = f32x4.add(s3, f32x4.add(a3, b3));
      k0 += 4; k1 += 4; k2 += 4; k3 += 4;
    }
    v128.store(to, s0); v128.store(to, s1, 16); v128.store(to, s2, 32); v128.store(to, s3, 48);
    to += 64;
  }
}

/** Sums over `keys` rows of sixteen, `stride` bytes apart, for four rows, whose weights are lanes of a vector a key; in the order of the keys. */
export function sumKeys(weights: usize, v: usize, stride: usize, keys: u32, to: usize, toStride: usize): void {
  const end = weights + ((<usize>keys) << 4);
  for (let half: usize = 0; half < 64; half += 32) {
    let s00 = f32x4.splat(0), s01 = f32x4.splat(0), s10 = f32x4.splat(0), s11 = f32x4.splat(0);
    let s20 = f32x4.splat(0), s21 = f32x4.splat(0), s30 = f32x4.splat(0), s31 = f32x4.splat(0);
    let from = v + half;
    for (let weight = weights; weight < end; weight += 16) {
      const v0 = v128.load(from), v1 = v128.load(from, 16);
      let w = splat(weight);
      s00 = madd(w, v0, s00); s01 = madd(w, v1, s01);
      w = v128.load32_splat(weight, 4);
      s10 = madd(w, v0, s10); s11 = madd(w, v1, s11);
      w = v128.load32_splat(weight, 8);
      s20 = madd(w, v0, s20); s21 = madd(w, v1, s21);
      w = v128.load32_splat(weight, 12);
      s30 = madd(w, v0, s30); s31 = madd(w, v1, s31);
      from += stride;
    }
    let out = to + half;
    v128.store(out, s00); v128.store(out, s01, 16); out += toStride;
    v128.store(out, s10); v128.store(out, s11, 16); out += toStride;
    v128.store(out, s20); v128.store(out, s21, 16); out += toStride;
    v128.store(out, s30); v128.store(out, s31, 16);
  }
}

/** The lanes of rows that see the key, of four rows in a row of which the first sees `seen` keys and each next one more. */
// @ts-ignore: decorator
@inline
export function seeing(key: u32, seen: u32): v128 {
  return i32x4.gt_s(i32x4(0, 1, 2, 3), i32x4.splat(<i32>key - <i32>seen));
}

/** 1/√16, the scale of attention scores. */
export const SCORE_SCALE: f32 = 0.25;

/** Row record of rows.ts, in bytes. */
export const ROW_BYTES: usize = 32;
// @ts-ignore: decorator
@inline
export function rowField(rows: usize, row: u32, field: u32): u32 {
  return load<u32>(rows + (<usize>row) * ROW_BYTES + (<usize>field << 2));
}
export const SHARDS: u32 = 8;
/** Longest sequence the kernels have scratch room for. */
export const MAX_SEQUENCE: u32 = 1024;
/** First row behind the sequence that the row is of. */
export function endOfSequence(rows: usize, row: u32, count: u32): u32 {
  const start = rowField(rows, row, 3);
  do row++;
  while (row < count && rowField(rows, row, 3) == start);
  return row;
}
/** Whether this row and the three behind it follow each other in their sequence, which ends at `end`. */
// @ts-ignore: decorator
@inline
export function areFour(rows: usize, row: u32, end: u32): bool {
  return row + 4 <= end && rowField(rows, row + 3, 2) == rowField(rows, row, 2) + 3;
}
