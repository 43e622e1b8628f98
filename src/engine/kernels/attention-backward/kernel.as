import {
  areFour, endOfSequence, exp4, madd, MAX_SEQUENCE, products, rowField, SCORE_SCALE, scoreLanes, seeing, splat, sumKeys, sumLanes, sumLanes4, toLanes,
} from "../../wasm/vector";

/** A vector a key, in `backOne` a number. */
const weights = memory.data((<i32>MAX_SEQUENCE + 8) * 16, 16);
const dScores = memory.data((<i32>MAX_SEQUENCE + 8) * 16, 16);
const queryLanes = memory.data(256, 16);
const gradientLanes = memory.data(256, 16);
const outLanes = memory.data(256, 16);

// @ts-ignore: decorator
@inline
function accumulate(to: usize, amount: v128, x0: v128, x1: v128, x2: v128, x3: v128): void {
  v128.store(to, madd(amount, x0, v128.load(to)));
  v128.store(to, madd(amount, x1, v128.load(to, 16)), 16);
  v128.store(to, madd(amount, x2, v128.load(to, 32)), 32);
  v128.store(to, madd(amount, x3, v128.load(to, 48)), 48);
}

/** x · k of four keys; past the end the last key is read again, and what comes of it is never read. */
// @ts-ignore: decorator
@inline
function four(x0: v128, x1: v128, x2: v128, x3: v128, k0: usize, k1: usize, k2: usize, k3: usize): v128 {
  return sumLanes4(products(x0, x1, x2, x3, k0), products(x0, x1, x2, x3, k1), products(x0, x1, x2, x3, k2), products(x0, x1, x2, x3, k3));
}

/** Weights of the keys a row sees, from the statistics kept. */
// @ts-ignore: decorator
@inline
function weightsOf(scores: v128, kept: usize): v128 {
  return f32x4.mul(exp4(f32x4.sub(f32x4.mul(scores, f32x4.splat(SCORE_SCALE)), splat(kept))), splat(kept + 4));
}

// @ts-ignore: decorator
@inline
function dScoresOf(weight: v128, dWeight: v128, along: v128): v128 {
  return f32x4.mul(f32x4.mul(weight, f32x4.sub(dWeight, along)), f32x4.splat(SCORE_SCALE));
}

/** q, g (the gradient of the output), o of one row and head; its keys k, values `bytes` behind them, their gradients at dk. */
function backOne(q: usize, g: usize, o: usize, kept: usize, k: usize, dk: usize, dq: usize, bytes: usize, seen: u32): void {
  const stride = bytes * 3;
  const q0 = v128.load(q), q1 = v128.load(q, 16), q2 = v128.load(q, 32), q3 = v128.load(q, 48);
  const g0 = v128.load(g), g1 = v128.load(g, 16), g2 = v128.load(g, 32), g3 = v128.load(g, 48);
  const along = f32x4.splat(sumLanes(products(g0, g1, g2, g3, o)));
  const last = k + (<usize>(seen - 1)) * stride;
  for (let key: u32 = 0; key < seen; key += 4) {
    const k0 = k + (<usize>key) * stride;
    const k1 = min(k0 + stride, last), k2 = min(k0 + 2 * stride, last), k3 = min(k0 + 3 * stride, last);
    const weight = weightsOf(four(q0, q1, q2, q3, k0, k1, k2, k3), kept);
    const dWeight = four(g0, g1, g2, g3, k0 + bytes, k1 + bytes, k2 + bytes, k3 + bytes);
    v128.store(weights + ((<usize>key) << 2), weight);
    v128.store(dScores + ((<usize>key) << 2), dScoresOf(weight, dWeight, along));
  }
  let d0 = f32x4.splat(0), d1 = f32x4.splat(0), d2 = f32x4.splat(0), d3 = f32x4.splat(0);
  for (let key: u32 = 0; key < seen; key++) {
    const dScore = splat(dScores + ((<usize>key) << 2));
    d0 = madd(dScore, v128.load(k), d0);
    d1 = madd(dScore, v128.load(k, 16), d1);
    d2 = madd(dScore, v128.load(k, 32), d2);
    d3 = madd(dScore, v128.load(k, 48), d3);
    accumulate(dk, dScore, q0, q1, q2, q3);
    accumulate(dk + bytes, splat(weights + ((<usize>key) << 2)), g0, g1, g2, g3);
    k += stride;
    dk += stride;
  }
  v128.store(dq, d0); v128.store(dq, d1, 16); v128.store(dq, d2, 32); v128.store(dq, d3, 48);
}

/** Adds to each of `keys` rows of sixteen, `stride` bytes apart, four rows by their weights (a lane each of a vector a key), the first row first. */
function spread(weights: usize, keys: u32, rows: usize, rowStride: usize, to: usize, stride: usize): void {
  const end = weights + ((<usize>keys) << 4);
  for (let half: usize = 0; half < 64; half += 32) {
    let row = rows + half;
    const a0 = v128.load(row), a1 = v128.load(row, 16); row += rowStride;
    const b0 = v128.load(row), b1 = v128.load(row, 16); row += rowStride;
    const c0 = v128.load(row), c1 = v128.load(row, 16); row += rowStride;
    const d0 = v128.load(row), d1 = v128.load(row, 16);
    let out = to + half;
    for (let weight = weights; weight < end; weight += 16) {
      let w = splat(weight);
      let s0 = madd(w, a0, v128.load(out)), s1 = madd(w, a1, v128.load(out, 16));
      w = v128.load32_splat(weight, 4);
      s0 = madd(w, b0, s0); s1 = madd(w, b1, s1);
      w = v128.load32_splat(weight, 8);
      s0 = madd(w, c0, s0); s1 = madd(w, c1, s1);
      w = v128.load32_splat(weight, 12);
      s0 = madd(w, d0, s0); s1 = madd(w, d1, s1);
      v128.store(out, s0); v128.store(out, s1, 16);
      out += stride;
    }
  }
}

/** A quarter of g · o of four rows, summed as in `backOne`. */
function alongLanes(): v128 {
  let sum = f32x4.splat(0);
  for (let at: usize = 0; at < 32; at += 16) {
    const g = gradientLanes + at, o = outLanes + at;
    let a = f32x4.mul(v128.load(g), v128.load(o)), b = f32x4.mul(v128.load(g, 32), v128.load(o, 32));
    for (let chunk: usize = 64; chunk < 256; chunk += 64) {
      a = madd(v128.load(g + chunk), v128.load(o + chunk), a);
      b = madd(v128.load(g + chunk, 32), v128.load(o + chunk, 32), b);
    }
    sum = f32x4.add(sum, f32x4.add(a, b));
  }
  return sum;
}

/** Four rows of a sequence in a row, the first of which sees `seen` keys, a lane a row (see `scoreLanes`). All sums run as in `backOne`, row after row. */
function backFour(q: usize, g: usize, o: usize, kept: usize, keptStride: usize, k: usize, dk: usize, dq: usize, bytes: usize, seen: u32): void {
  const stride = bytes * 3;
  const keys = seen + 3;
  // A quarter is exact: the same bits as if what comes of them were scaled.
  toLanes(q, stride, SCORE_SCALE, queryLanes);
  toLanes(g, bytes, SCORE_SCALE, gradientLanes);
  toLanes(o, bytes, 1, outLanes);
  scoreLanes(queryLanes, k, stride, keys, weights);
  scoreLanes(gradientLanes, k + bytes, stride, keys, dScores);
  const along = alongLanes();
  const next = kept + keptStride, third = next + keptStride, fourth = third + keptStride;
  let largest = v128.load32_lane(kept, f32x4.splat(0), 0), inverse = v128.load32_lane(kept, f32x4.splat(0), 0, 4);
  largest = v128.load32_lane(next, largest, 1); inverse = v128.load32_lane(next, inverse, 1, 4);
  largest = v128.load32_lane(third, largest, 2); inverse = v128.load32_lane(third, inverse, 2, 4);
  largest = v128.load32_lane(fourth, largest, 3); inverse = v128.load32_lane(fourth, inverse, 3, 4);
  const masked = (<usize>seen) << 4, end = (<usize>keys) << 4;
  for (let at: usize = 0; at < masked; at += 16) {
    const weight = f32x4.mul(exp4(f32x4.sub(v128.load(weights + at), largest)), inverse);
    v128.store(weights + at, weight);
    v128.store(dScores + at, f32x4.mul(weight, f32x4.sub(v128.load(dScores + at), along)));
  }
  for (let at = masked; at < end; at += 16) {
    const weight = v128.and(f32x4.mul(exp4(f32x4.sub(v128.load(weights + at), largest)), inverse), seeing(<u32>(at >> 4), seen));
    v128.store(weights + at, weight);
    v128.store(dScores + at, f32x4.mul(weight, f32x4.sub(v128.load(dScores + at), along)));
  }
  sumKeys(dScores, k, stride, keys, dq, stride);
  spread(dScores, keys, q, stride, dk, stride);
  spread(weights, keys, g, bytes, dk + bytes, stride);
}

export function attentionBackward(rows: usize, qkv: usize, out: usize, statistics: usize, dOut: usize, dqkv: usize, width: u32, count: u32): void {
  const heads = width >> 4;
  const bytes = (<usize>width) << 2;
  const stride = bytes * 3;
  memory.fill(dqkv, 0, (<usize>count) * stride);
  for (let first: u32 = 0; first < count; ) {
    const end = endOfSequence(rows, first, count);
    // What four at a time leaves over comes first, where there are the fewest keys.
    const whole = first + ((end - first) & 3);
    const start = (<usize>rowField(rows, first, 3)) * stride + bytes;
    // What a head reads and adds to stays in the first cache for all rows of their sequence.
    for (let head: u32 = 0; head < heads; head++) {
      const within = (<usize>head) << 6;
      const k = qkv + start + within, dk = dqkv + start + within;
      for (let row = first; row < end; ) {
        const seen = rowField(rows, row, 2) + 1;
        const own = (<usize>row) * stride + within, at = (<usize>row) * bytes + within;
        const kept = statistics + ((<usize>(row * heads + head)) << 3);
        const four = row >= whole && areFour(rows, row, end);
        if (four) backFour(qkv + own, dOut + at, out + at, kept, (<usize>heads) << 3, k, dk, dqkv + own, bytes, seen);
        else backOne(qkv + own, dOut + at, out + at, kept, k, dk, dqkv + own, bytes, seen);
        row += four ? 4 : 1;
      }
    }
    first = end;
  }
}
