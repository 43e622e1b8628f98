import {
  areFour, endOfSequence, exp4, largestLane, madd, MAX_SEQUENCE, products, rowField, SCORE_SCALE, scoreLanes, seeing, splat, sumKeys, sumLanes, sumLanes4, toLanes,
} from "../../wasm/vector";

/** A vector a key, in `attendOne` a number. */
const scratch = memory.data((<i32>MAX_SEQUENCE + 8) * 16, 16);
const queryLanes = memory.data(256, 16);

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
    highest = f32x4.pmax(highest, scores);
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

/**
 * Four rows of a sequence in a row, the first of which sees `seen` keys: each key is read once for all, a lane a row, so nothing is summed
 * across lanes. All sums run as in `attendOne`.
 */
function attendFour(q: usize, k: usize, v: usize, stride: usize, seen: u32, to: usize, bytes: usize, kept: usize, keptStride: usize): void {
  const keys = seen + 3;
  // A quarter is exact: the same bits as if the sums were scaled.
  toLanes(q, 3 * bytes, SCORE_SCALE, queryLanes);
  scoreLanes(queryLanes, k, stride, keys, scratch);
  const end = scratch + ((<usize>keys) << 4);
  for (let key = seen; key < keys; key++) {
    const at = scratch + ((<usize>key) << 4);
    v128.store(at, v128.bitselect(v128.load(at), f32x4.splat(-1e30), seeing(key, seen)));
  }
  // What fills up the last four keys weighs nothing.
  for (let key: usize = 0; key < 48; key += 16) v128.store(end + key, f32x4.splat(-1e30));
  let largest = v128.load(scratch), other = largest;
  for (let at = scratch; at < end; at += 64) {
    largest = f32x4.pmax(largest, f32x4.pmax(v128.load(at), v128.load(at, 16)));
    other = f32x4.pmax(other, f32x4.pmax(v128.load(at, 32), v128.load(at, 48)));
  }
  largest = f32x4.pmax(largest, other);
  let t0 = f32x4.splat(0), t1 = f32x4.splat(0), t2 = f32x4.splat(0), t3 = f32x4.splat(0);
  for (let at = scratch; at < end; at += 64) {
    let weight = exp4(f32x4.sub(v128.load(at), largest));
    t0 = f32x4.add(t0, weight);
    v128.store(at, weight);
    weight = exp4(f32x4.sub(v128.load(at, 16), largest));
    t1 = f32x4.add(t1, weight);
    v128.store(at, weight, 16);
    weight = exp4(f32x4.sub(v128.load(at, 32), largest));
    t2 = f32x4.add(t2, weight);
    v128.store(at, weight, 32);
    weight = exp4(f32x4.sub(v128.load(at, 48), largest));
    t3 = f32x4.add(t3, weight);
    v128.store(at, weight, 48);
  }
  const inverse = f32x4.div(f32x4.splat(1), f32x4.add(f32x4.add(t0, t2), f32x4.add(t1, t3)));
  sumKeys(scratch, v, stride, keys, to, bytes);
  v128.store(scratch, largest);
  v128.store(scratch, inverse, 16);
  for (let row: usize = 0; row < 16; row += 4) {
    const share = splat(scratch + 16 + row);
    for (let d: usize = 0; d < 64; d += 16) v128.store(to + d, f32x4.mul(v128.load(to + d), share));
    store<f32>(kept, load<f32>(scratch + row));
    store<f32>(kept, load<f32>(scratch + 16 + row), 4);
    to += bytes;
    kept += keptStride;
  }
}

export function attention(
  rows: usize, queries: usize, keys: usize, out: usize, statistics: usize,
  width: u32, keyStride: u32, keyOffset: u32, valueOffset: u32, count: u32,
): void {
  const heads = width >> 4;
  const bytes = (<usize>width) << 2;
  const stride = (<usize>keyStride) << 2;
  for (let first: u32 = 0; first < count; ) {
    const end = endOfSequence(rows, first, count);
    // What four at a time leaves over comes first, where there are the fewest keys.
    const whole = first + ((end - first) & 3);
    const base = keys + (<usize>rowField(rows, first, 3)) * stride;
    // A head's keys and values stay in the first cache for all rows of their sequence.
    for (let head: u32 = 0; head < heads; head++) {
      const at = (<usize>head) << 6;
      const k = base + ((<usize>keyOffset) << 2) + at, v = base + ((<usize>valueOffset) << 2) + at;
      for (let row = first; row < end; ) {
        const seen = rowField(rows, row, 2) + 1;
        const q = queries + (<usize>row) * 3 * bytes + at, to = out + (<usize>row) * bytes + at;
        const kept = statistics + ((<usize>(row * heads + head)) << 3);
        const four = row >= whole && areFour(rows, row, end);
        if (four) attendFour(q, k, v, stride, seen, to, bytes, kept, (<usize>heads) << 3);
        else attendOne(q, k, v, stride, seen, to, kept);
        row += four ? 4 : 1;
      }
    }
    first = end;
  }
}
