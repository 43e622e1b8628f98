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

/** Below this, exp is 0: masked logits and far scores. */
const LOWEST: f32 = -87.0;

/** exp of four floats, relative error below 3e-7; no fused operations, so that both flavours agree. */
export function exp4(input: v128): v128 {
  const x = f32x4.max(f32x4.min(input, f32x4.splat(88.0)), f32x4.splat(LOWEST));
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504)));
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let p = f32x4.splat(1.9875691500e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(p, r), r), r), f32x4.splat(1.0));
  const exponent = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(p, exponent), f32x4.ge(input, f32x4.splat(LOWEST)));
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
