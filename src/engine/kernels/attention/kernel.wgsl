// Causal softmax attention of one head of one row: out = Σ_keys p·v with p = softmax over the row's keys of q·k/√HEAD_WIDTH;
// statistics = (largest score, 1 / Σ exp(score − largest)).
// Shapes: rows[rows, ROW_FIELDS], queries[rows, 3·width] (the first `width` of each), keys[key rows, keyStride] with the key at keyOffset
// and the value at valueOffset, out[rows, width], statistics[rows, heads, 2]; all offsets are multiples of HEAD_WIDTH.
// Source: Vaswani et al. 2017, section 3.2.1; scores are made twice rather than kept.

override width: u32;
override keyStride: u32;
override keyOffset: u32;
override valueOffset: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<u32>;
@group(0) @binding(1) var<storage, read> queries: array<vec4f>;
@group(0) @binding(2) var<storage, read> keys: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> statistics: array<vec2f>;
@group(0) @binding(5) var<uniform> params: Params;

const QUARTERS = HEAD_WIDTH / 4u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let heads = width / HEAD_WIDTH;
  let row = index / heads;
  let head = index % heads;
  if (row >= params.rows) {
    return;
  }
  let query = row * 3u * (width / 4u) + head * QUARTERS;
  let scale = 1.0 / sqrt(f32(HEAD_WIDTH));
  let q0 = queries[query] * scale;
  let q1 = queries[query + 1u] * scale;
  let q2 = queries[query + 2u] * scale;
  let q3 = queries[query + 3u] * scale;
  let seen = rows[row * ROW_FIELDS + ROW_POSITION] + 1u;
  let stride = keyStride / 4u;
  let first = rows[row * ROW_FIELDS + ROW_KEY_START] * stride + head * QUARTERS;
  let firstKey = first + keyOffset / 4u;
  let firstValue = first + valueOffset / 4u;

  var largest = NEVER;
  for (var key = 0u; key < seen; key += 1u) {
    let at = firstKey + key * stride;
    let score = dot(q0, keys[at]) + dot(q1, keys[at + 1u]) + dot(q2, keys[at + 2u]) + dot(q3, keys[at + 3u]);
    largest = max(largest, score);
  }
  var total = 0.0;
  var sum0 = vec4f();
  var sum1 = vec4f();
  var sum2 = vec4f();
  var sum3 = vec4f();
  for (var key = 0u; key < seen; key += 1u) {
    let at = firstKey + key * stride;
    let score = dot(q0, keys[at]) + dot(q1, keys[at + 1u]) + dot(q2, keys[at + 2u]) + dot(q3, keys[at + 3u]);
    let weight = exp_or_zero(score - largest);
    total += weight;
    let value = firstValue + key * stride;
    sum0 += weight * keys[value];
    sum1 += weight * keys[value + 1u];
    sum2 += weight * keys[value + 2u];
    sum3 += weight * keys[value + 3u];
  }
  let inverse = 1.0 / total;
  statistics[row * heads + head] = vec2f(largest, inverse);
  let to = row * (width / 4u) + head * QUARTERS;
  out[to] = sum0 * inverse;
  out[to + 1u] = sum1 * inverse;
  out[to + 2u] = sum2 * inverse;
  out[to + 3u] = sum3 * inverse;
}
