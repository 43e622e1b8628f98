import { exp4, largestLane, madd, MAX_SEQUENCE, products, rowField, SCORE_SCALE, splat, sumLanes, sumLanes4 } from "../../wasm/vector";

const scratch = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);

export function attention(
  rows: usize, queries: usize, keys: usize, out: usize, statistics: usize,
  width: u32, keyStride: u32, keyOffset: u32, valueOffset: u32, count: u32,
): void {
  const heads = width >> 4;
  const stride = (<usize>keyStride) << 2;
  for (let row: u32 = 0; row < count; row++) {
    const seen = rowField(rows, row, 2) + 1;
    const base = keys + (<usize>rowField(rows, row, 3)) * stride;
    for (let head: u32 = 0; head < heads; head++) {
      const within = (<usize>head) << 6;
      const q = queries + (<usize>row) * 3 * ((<usize>width) << 2) + within;
      const q0 = v128.load(q), q1 = v128.load(q, 16), q2 = v128.load(q, 32), q3 = v128.load(q, 48);
      const k = base + ((<usize>keyOffset) << 2) + within;
      // Scores four keys at a time; past the end the last key is read again and masked, so a row's result depends on its length alone.
      let highest = f32x4.splat(-1e30);
      const last = k + (<usize>(seen - 1)) * stride;
      for (let key: u32 = 0; key < seen; key += 4) {
        const k0 = k + (<usize>key) * stride;
        const k1 = min(k0 + stride, last), k2 = min(k0 + 2 * stride, last), k3 = min(k0 + 3 * stride, last);
        let scores = sumLanes4(products(q0, q1, q2, q3, k0), products(q0, q1, q2, q3, k1), products(q0, q1, q2, q3, k2), products(q0, q1, q2, q3, k3));
        scores = f32x4.mul(scores, f32x4.splat(SCORE_SCALE));
        if (key + 4 > seen) {
          const inside = i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(<i32>(seen - key)));
          scores = v128.bitselect(scores, f32x4.splat(-1e30), inside);
        }
        highest = f32x4.max(highest, scores);
        v128.store(scratch + ((<usize>key) << 2), scores);
      }
      const largest = largestLane(highest);
      let total = f32x4.splat(0);
      for (let key: u32 = 0; key < seen; key += 4) {
        const at = scratch + ((<usize>key) << 2);
        const weights = exp4(f32x4.sub(v128.load(at), f32x4.splat(largest)));
        total = f32x4.add(total, weights);
        v128.store(at, weights);
      }
      const inverse: f32 = <f32>1 / sumLanes(total);
      let o0 = f32x4.splat(0), o1 = f32x4.splat(0), o2 = f32x4.splat(0), o3 = f32x4.splat(0);
      let v = base + ((<usize>valueOffset) << 2) + within;
      for (let key: u32 = 0; key < seen; key++) {
        const weight = splat(scratch + ((<usize>key) << 2));
        o0 = madd(weight, v128.load(v), o0);
        o1 = madd(weight, v128.load(v, 16), o1);
        o2 = madd(weight, v128.load(v, 32), o2);
        o3 = madd(weight, v128.load(v, 48), o3);
        v += stride;
      }
      const to = out + (<usize>row) * ((<usize>width) << 2) + within;
      const share = f32x4.splat(inverse);
      v128.store(to, f32x4.mul(o0, share));
      v128.store(to, f32x4.mul(o1, share), 16);
      v128.store(to, f32x4.mul(o2, share), 32);
      v128.store(to, f32x4.mul(o3, share), 48);
      const kept = statistics + ((<usize>(row * heads + head)) << 3);
      store<f32>(kept, largest);
      store<f32>(kept + 4, inverse);
    }
  }
}
