import { exp4, madd, MAX_SEQUENCE, products, rowField, SCORE_SCALE, splat, sumLanes, sumLanes4 } from "../../wasm/vector";

const weights = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);
const weightsNext = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);
const dScores = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);
const dScoresNext = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);

// @ts-ignore: decorator
@inline
function accumulate(to: usize, amount: v128, x0: v128, x1: v128, x2: v128, x3: v128): void {
  v128.store(to, madd(amount, x0, v128.load(to)));
  v128.store(to, madd(amount, x1, v128.load(to, 16)), 16);
  v128.store(to, madd(amount, x2, v128.load(to, 32)), 32);
  v128.store(to, madd(amount, x3, v128.load(to, 48)), 48);
}

// @ts-ignore: decorator
@inline
function accumulateTwo(
  to: usize, amount: v128, x0: v128, x1: v128, x2: v128, x3: v128, next: v128, y0: v128, y1: v128, y2: v128, y3: v128,
): void {
  v128.store(to, madd(next, y0, madd(amount, x0, v128.load(to))));
  v128.store(to, madd(next, y1, madd(amount, x1, v128.load(to, 16))), 16);
  v128.store(to, madd(next, y2, madd(amount, x2, v128.load(to, 32))), 32);
  v128.store(to, madd(next, y3, madd(amount, x3, v128.load(to, 48))), 48);
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

/**
 * A row and the next of its sequence, which sees one key more: what is read and written for each key serves both. A few numbers at a
 * time are held, so one pass each for scores, their gradients, dq, dk, dv. Sums run as in `backOne`, this row first.
 */
function backTwo(q: usize, g: usize, o: usize, kept: usize, keptNext: usize, k: usize, dk: usize, dq: usize, bytes: usize, seen: u32): void {
  const stride = bytes * 3;
  const last = k + (<usize>seen) * stride;
  const q0 = v128.load(q), q1 = v128.load(q, 16), q2 = v128.load(q, 32), q3 = v128.load(q, 48);
  const p = q + stride;
  const p0 = v128.load(p), p1 = v128.load(p, 16), p2 = v128.load(p, 32), p3 = v128.load(p, 48);
  for (let key: u32 = 0; key <= seen; key += 4) {
    const k0 = k + (<usize>key) * stride;
    const k1 = min(k0 + stride, last), k2 = min(k0 + 2 * stride, last), k3 = min(k0 + 3 * stride, last);
    v128.store(weights + ((<usize>key) << 2), weightsOf(four(q0, q1, q2, q3, k0, k1, k2, k3), kept));
    v128.store(weightsNext + ((<usize>key) << 2), weightsOf(four(p0, p1, p2, p3, k0, k1, k2, k3), keptNext));
  }
  const g0 = v128.load(g), g1 = v128.load(g, 16), g2 = v128.load(g, 32), g3 = v128.load(g, 48);
  const h = g + bytes;
  const h0 = v128.load(h), h1 = v128.load(h, 16), h2 = v128.load(h, 32), h3 = v128.load(h, 48);
  const along = f32x4.splat(sumLanes(products(g0, g1, g2, g3, o))), alongNext = f32x4.splat(sumLanes(products(h0, h1, h2, h3, o + bytes)));
  const v = k + bytes, lastValue = last + bytes;
  for (let key: u32 = 0; key <= seen; key += 4) {
    const v0 = v + (<usize>key) * stride;
    const v1 = min(v0 + stride, lastValue), v2 = min(v0 + 2 * stride, lastValue), v3 = min(v0 + 3 * stride, lastValue);
    const at = (<usize>key) << 2;
    v128.store(dScores + at, dScoresOf(v128.load(weights + at), four(g0, g1, g2, g3, v0, v1, v2, v3), along));
    v128.store(dScoresNext + at, dScoresOf(v128.load(weightsNext + at), four(h0, h1, h2, h3, v0, v1, v2, v3), alongNext));
  }
  let d0 = f32x4.splat(0), d1 = f32x4.splat(0), d2 = f32x4.splat(0), d3 = f32x4.splat(0);
  let e0 = f32x4.splat(0), e1 = f32x4.splat(0), e2 = f32x4.splat(0), e3 = f32x4.splat(0);
  let from = k;
  for (let key: usize = 0; key < (<usize>seen) << 2; key += 4) {
    const dScore = splat(dScores + key), dScoreNext = splat(dScoresNext + key);
    const k0 = v128.load(from), k1 = v128.load(from, 16);
    d0 = madd(dScore, k0, d0); e0 = madd(dScoreNext, k0, e0);
    d1 = madd(dScore, k1, d1); e1 = madd(dScoreNext, k1, e1);
    const k2 = v128.load(from, 32), k3 = v128.load(from, 48);
    d2 = madd(dScore, k2, d2); e2 = madd(dScoreNext, k2, e2);
    d3 = madd(dScore, k3, d3); e3 = madd(dScoreNext, k3, e3);
    from += stride;
  }
  v128.store(dq, d0); v128.store(dq, d1, 16); v128.store(dq, d2, 32); v128.store(dq, d3, 48);
  const dScore = splat(dScoresNext + ((<usize>seen) << 2));
  const dp = dq + stride;
  v128.store(dp, madd(dScore, v128.load(from), e0));
  v128.store(dp, madd(dScore, v128.load(from, 16), e1), 16);
  v128.store(dp, madd(dScore, v128.load(from, 32), e2), 32);
  v128.store(dp, madd(dScore, v128.load(from, 48), e3), 48);
  let to = dk;
  for (let key: usize = 0; key < (<usize>seen) << 2; key += 4) {
    accumulateTwo(to, splat(dScores + key), q0, q1, q2, q3, splat(dScoresNext + key), p0, p1, p2, p3);
    to += stride;
  }
  accumulate(to, dScore, p0, p1, p2, p3);
  to = dk + bytes;
  for (let key: usize = 0; key < (<usize>seen) << 2; key += 4) {
    accumulateTwo(to, splat(weights + key), g0, g1, g2, g3, splat(weightsNext + key), h0, h1, h2, h3);
    to += stride;
  }
  accumulate(to, splat(weightsNext + ((<usize>seen) << 2)), h0, h1, h2, h3);
}

export function attentionBackward(rows: usize, qkv: usize, out: usize, statistics: usize, dOut: usize, dqkv: usize, width: u32, count: u32): void {
  const heads = width >> 4;
  const bytes = (<usize>width) << 2;
  const stride = bytes * 3;
  memory.fill(dqkv, 0, (<usize>count) * stride);
  for (let row: u32 = 0; row < count; ) {
    const seen = rowField(rows, row, 2) + 1;
    const start = (<usize>rowField(rows, row, 3)) * stride + bytes;
    const pair = row + 1 < count && rowField(rows, row + 1, 3) == rowField(rows, row, 3) && rowField(rows, row + 1, 2) == seen;
    for (let head: u32 = 0; head < heads; head++) {
      const within = (<usize>head) << 6;
      const own = (<usize>row) * stride + within, at = (<usize>row) * bytes + within;
      const kept = statistics + ((<usize>(row * heads + head)) << 3);
      const k = qkv + start + within, dk = dqkv + start + within;
      if (pair) backTwo(qkv + own, dOut + at, out + at, kept, kept + ((<usize>heads) << 3), k, dk, dqkv + own, bytes, seen);
      else backOne(qkv + own, dOut + at, out + at, kept, k, dk, dqkv + own, bytes, seen);
    }
    row += pair ? 2 : 1;
  }
}
