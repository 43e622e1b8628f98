import { exp4, largestLane, madd, MAX_SEQUENCE, products, rowField, SCORE_SCALE, splat, sumLanes, sumLanes4 } from "../../wasm/vector";

const scratch = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);
const scratchNext = memory.data(<i32>MAX_SEQUENCE * 4 + 64, 16);

/** Beyond what a row sees, scores are so low that their weight is 0. */
// @ts-ignore: decorator
@inline
function within(scores: v128, key: u32, seen: u32): v128 {
  if (key + 4 <= seen) return scores;
  return v128.bitselect(scores, f32x4.splat(-1e30), i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(<i32>seen - <i32>key)));
}

/** Turns the scores into exp(score − largest); returns one over their sum. */
// @ts-ignore: decorator
@inline
function weigh(scores: usize, largest: f32, seen: u32): f32 {
  let total = f32x4.splat(0);
  for (let key: u32 = 0; key < seen; key += 4) {
    const at = scores + ((<usize>key) << 2);
    const weights = exp4(f32x4.sub(v128.load(at), f32x4.splat(largest)));
    total = f32x4.add(total, weights);
    v128.store(at, weights);
  }
  return <f32>1 / sumLanes(total);
}

// @ts-ignore: decorator
@inline
function finish(to: usize, kept: usize, largest: f32, inverse: f32, o0: v128, o1: v128, o2: v128, o3: v128): void {
  const share = f32x4.splat(inverse);
  v128.store(to, f32x4.mul(o0, share));
  v128.store(to, f32x4.mul(o1, share), 16);
  v128.store(to, f32x4.mul(o2, share), 32);
  v128.store(to, f32x4.mul(o3, share), 48);
  store<f32>(kept, largest);
  store<f32>(kept + 4, inverse);
}

/** Scores four keys at a time; past the end the last key is read again and masked, so a row's result depends on its length alone. */
function attendOne(q: usize, k: usize, v: usize, stride: usize, seen: u32, to: usize, kept: usize): void {
  const q0 = v128.load(q), q1 = v128.load(q, 16), q2 = v128.load(q, 32), q3 = v128.load(q, 48);
  let highest = f32x4.splat(-1e30);
  const last = k + (<usize>(seen - 1)) * stride;
  for (let key: u32 = 0; key < seen; key += 4) {
    const k0 = k + (<usize>key) * stride;
    const k1 = min(k0 + stride, last), k2 = min(k0 + 2 * stride, last), k3 = min(k0 + 3 * stride, last);
    let scores = sumLanes4(products(q0, q1, q2, q3, k0), products(q0, q1, q2, q3, k1), products(q0, q1, q2, q3, k2), products(q0, q1, q2, q3, k3));
    scores = within(f32x4.mul(scores, f32x4.splat(SCORE_SCALE)), key, seen);
    highest = f32x4.max(highest, scores);
    v128.store(scratch + ((<usize>key) << 2), scores);
  }
  const largest = largestLane(highest);
  const inverse = weigh(scratch, largest, seen);
  let o0 = f32x4.splat(0), o1 = f32x4.splat(0), o2 = f32x4.splat(0), o3 = f32x4.splat(0);
  for (let key: u32 = 0; key < seen; key++) {
    const weight = splat(scratch + ((<usize>key) << 2));
    o0 = madd(weight, v128.load(v), o0);
    o1 = madd(weight, v128.load(v, 16), o1);
    o2 = madd(weight, v128.load(v, 32), o2);
    o3 = madd(weight, v128.load(v, 48), o3);
    v += stride;
  }
  finish(to, kept, largest, inverse, o0, o1, o2, o3);
}

/** A row and the next of its sequence, which sees one key more: each key and value is read once for both. Sums run as in `attendOne`. */
function attendTwo(q: usize, p: usize, k: usize, v: usize, stride: usize, seen: u32, to: usize, toNext: usize, kept: usize, keptNext: usize): void {
  const q0 = v128.load(q), q1 = v128.load(q, 16), q2 = v128.load(q, 32), q3 = v128.load(q, 48);
  const p0 = v128.load(p), p1 = v128.load(p, 16), p2 = v128.load(p, 32), p3 = v128.load(p, 48);
  const scale = f32x4.splat(SCORE_SCALE);
  let highest = f32x4.splat(-1e30), highestNext = f32x4.splat(-1e30);
  const last = k + (<usize>seen) * stride;
  for (let key: u32 = 0; key <= seen; key += 4) {
    const k0 = k + (<usize>key) * stride;
    const k1 = min(k0 + stride, last), k2 = min(k0 + 2 * stride, last), k3 = min(k0 + 3 * stride, last);
    let k00 = v128.load(k0), k10 = v128.load(k1), k20 = v128.load(k2), k30 = v128.load(k3);
    let a0 = f32x4.mul(q0, k00), a1 = f32x4.mul(q0, k10), a2 = f32x4.mul(q0, k20), a3 = f32x4.mul(q0, k30);
    let b0 = f32x4.mul(p0, k00), b1 = f32x4.mul(p0, k10), b2 = f32x4.mul(p0, k20), b3 = f32x4.mul(p0, k30);
    k00 = v128.load(k0, 16); a0 = madd(q1, k00, a0); b0 = madd(p1, k00, b0);
    k10 = v128.load(k1, 16); a1 = madd(q1, k10, a1); b1 = madd(p1, k10, b1);
    k20 = v128.load(k2, 16); a2 = madd(q1, k20, a2); b2 = madd(p1, k20, b2);
    k30 = v128.load(k3, 16); a3 = madd(q1, k30, a3); b3 = madd(p1, k30, b3);
    k00 = v128.load(k0, 32); a0 = madd(q2, k00, a0); b0 = madd(p2, k00, b0);
    k10 = v128.load(k1, 32); a1 = madd(q2, k10, a1); b1 = madd(p2, k10, b1);
    k20 = v128.load(k2, 32); a2 = madd(q2, k20, a2); b2 = madd(p2, k20, b2);
    k30 = v128.load(k3, 32); a3 = madd(q2, k30, a3); b3 = madd(p2, k30, b3);
    k00 = v128.load(k0, 48); a0 = madd(q3, k00, a0); b0 = madd(p3, k00, b0);
    k10 = v128.load(k1, 48); a1 = madd(q3, k10, a1); b1 = madd(p3, k10, b1);
    k20 = v128.load(k2, 48); a2 = madd(q3, k20, a2); b2 = madd(p3, k20, b2);
    k30 = v128.load(k3, 48); a3 = madd(q3, k30, a3); b3 = madd(p3, k30, b3);
    const scores = within(f32x4.mul(sumLanes4(a0, a1, a2, a3), scale), key, seen);
    const scoresNext = within(f32x4.mul(sumLanes4(b0, b1, b2, b3), scale), key, seen + 1);
    highest = f32x4.max(highest, scores);
    highestNext = f32x4.max(highestNext, scoresNext);
    v128.store(scratch + ((<usize>key) << 2), scores);
    v128.store(scratchNext + ((<usize>key) << 2), scoresNext);
  }
  const largest = largestLane(highest), largestNext = largestLane(highestNext);
  const inverse = weigh(scratch, largest, seen), inverseNext = weigh(scratchNext, largestNext, seen + 1);
  let o0 = f32x4.splat(0), o1 = f32x4.splat(0), o2 = f32x4.splat(0), o3 = f32x4.splat(0);
  let n0 = f32x4.splat(0), n1 = f32x4.splat(0), n2 = f32x4.splat(0), n3 = f32x4.splat(0);
  for (let key: u32 = 0; key < seen; key++) {
    const weight = splat(scratch + ((<usize>key) << 2)), weightNext = splat(scratchNext + ((<usize>key) << 2));
    const v0 = v128.load(v), v1 = v128.load(v, 16);
    o0 = madd(weight, v0, o0); n0 = madd(weightNext, v0, n0);
    o1 = madd(weight, v1, o1); n1 = madd(weightNext, v1, n1);
    const v2 = v128.load(v, 32), v3 = v128.load(v, 48);
    o2 = madd(weight, v2, o2); n2 = madd(weightNext, v2, n2);
    o3 = madd(weight, v3, o3); n3 = madd(weightNext, v3, n3);
    v += stride;
  }
  finish(to, kept, largest, inverse, o0, o1, o2, o3);
  const weight = splat(scratchNext + ((<usize>seen) << 2));
  finish(
    toNext, keptNext, largestNext, inverseNext,
    madd(weight, v128.load(v), n0), madd(weight, v128.load(v, 16), n1), madd(weight, v128.load(v, 32), n2), madd(weight, v128.load(v, 48), n3),
  );
}

export function attention(
  rows: usize, queries: usize, keys: usize, out: usize, statistics: usize,
  width: u32, keyStride: u32, keyOffset: u32, valueOffset: u32, count: u32,
): void {
  const heads = width >> 4;
  const bytes = (<usize>width) << 2;
  const stride = (<usize>keyStride) << 2;
  for (let row: u32 = 0; row < count; ) {
    const seen = rowField(rows, row, 2) + 1;
    const base = keys + (<usize>rowField(rows, row, 3)) * stride;
    const k = base + ((<usize>keyOffset) << 2), v = base + ((<usize>valueOffset) << 2);
    const q = queries + (<usize>row) * 3 * bytes, to = out + (<usize>row) * bytes;
    const kept = statistics + ((<usize>(row * heads)) << 3);
    const pair = row + 1 < count && rowField(rows, row + 1, 3) == rowField(rows, row, 3) && rowField(rows, row + 1, 2) == seen;
    for (let head: u32 = 0; head < heads; head++) {
      const at = (<usize>head) << 6, stat = kept + ((<usize>head) << 3);
      if (pair) attendTwo(q + at, q + 3 * bytes + at, k + at, v + at, stride, seen, to + at, to + bytes + at, stat, stat + ((<usize>heads) << 3));
      else attendOne(q + at, k + at, v + at, stride, seen, to + at, stat);
    }
    row += pair ? 2 : 1;
  }
}
