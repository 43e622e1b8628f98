import { exp4, madd, MAX_SEQUENCE, products, rowField, SCORE_SCALE, splat, sumLanes, sumLanes4 } from "../../wasm/vector";

const weights = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);
const dScores = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);

// @ts-ignore: decorator
@inline
function accumulate(to: usize, amount: v128, x0: v128, x1: v128, x2: v128, x3: v128): void {
  v128.store(to, madd(amount, x0, v128.load(to)));
  v128.store(to, madd(amount, x1, v128.load(to, 16)), 16);
  v128.store(to, madd(amount, x2, v128.load(to, 32)), 32);
  v128.store(to, madd(amount, x3, v128.load(to, 48)), 48);
}

export function attentionBackward(rows: usize, qkv: usize, out: usize, statistics: usize, dOut: usize, dqkv: usize, width: u32, count: u32): void {
  const heads = width >> 4;
  const bytes = (<usize>width) << 2;
  const stride = bytes * 3;
  memory.fill(dqkv, 0, (<usize>count) * stride);
  for (let row: u32 = 0; row < count; row++) {
    const seen = rowField(rows, row, 2) + 1;
    const start = (<usize>rowField(rows, row, 3)) * stride;
    for (let head: u32 = 0; head < heads; head++) {
      const within = (<usize>head) << 6;
      const q = qkv + (<usize>row) * stride + within;
      const q0 = v128.load(q), q1 = v128.load(q, 16), q2 = v128.load(q, 32), q3 = v128.load(q, 48);
      const g = dOut + (<usize>row) * bytes + within;
      const g0 = v128.load(g), g1 = v128.load(g, 16), g2 = v128.load(g, 32), g3 = v128.load(g, 48);
      const o = out + (<usize>row) * bytes + within;
      const along = f32x4.splat(sumLanes(products(g0, g1, g2, g3, o)));
      const kept = statistics + ((<usize>(row * heads + head)) << 3);
      const largest = splat(kept), inverse = splat(kept + 4);
      const k = qkv + start + bytes + within;
      const last = k + (<usize>(seen - 1)) * stride;
      for (let key: u32 = 0; key < seen; key += 4) {
        const k0 = k + (<usize>key) * stride;
        const k1 = min(k0 + stride, last), k2 = min(k0 + 2 * stride, last), k3 = min(k0 + 3 * stride, last);
        const scores = f32x4.mul(
          sumLanes4(products(q0, q1, q2, q3, k0), products(q0, q1, q2, q3, k1), products(q0, q1, q2, q3, k2), products(q0, q1, q2, q3, k3)),
          f32x4.splat(SCORE_SCALE),
        );
        const dWeights = sumLanes4(
          products(g0, g1, g2, g3, k0 + bytes), products(g0, g1, g2, g3, k1 + bytes),
          products(g0, g1, g2, g3, k2 + bytes), products(g0, g1, g2, g3, k3 + bytes),
        );
        const weight = f32x4.mul(exp4(f32x4.sub(scores, largest)), inverse);
        v128.store(weights + ((<usize>key) << 2), weight);
        v128.store(dScores + ((<usize>key) << 2), f32x4.mul(f32x4.mul(weight, f32x4.sub(dWeights, along)), f32x4.splat(SCORE_SCALE)));
      }
      let d0 = f32x4.splat(0), d1 = f32x4.splat(0), d2 = f32x4.splat(0), d3 = f32x4.splat(0);
      let from = k;
      let to = dqkv + start + bytes + within;
      for (let key: u32 = 0; key < seen; key++) {
        const dScore = splat(dScores + ((<usize>key) << 2));
        d0 = madd(dScore, v128.load(from), d0);
        d1 = madd(dScore, v128.load(from, 16), d1);
        d2 = madd(dScore, v128.load(from, 32), d2);
        d3 = madd(dScore, v128.load(from, 48), d3);
        accumulate(to, dScore, q0, q1, q2, q3);
        accumulate(to + bytes, splat(weights + ((<usize>key) << 2)), g0, g1, g2, g3);
        from += stride;
        to += stride;
      }
      const dq = dqkv + (<usize>row) * stride + within;
      v128.store(dq, d0); v128.store(dq, d1, 16); v128.store(dq, d2, 32); v128.store(dq, d3, 48);
    }
  }
}
