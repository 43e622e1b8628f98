// Gradient of kernels/attention over packed training rows. With p the attention weights and D = Σ dOut·out of a query's head:
// ds = p·(dOut·v − D)/√HEAD_WIDTH; dq = Σ_keys ds·k; dk = Σ_queries ds·q; dv = Σ_queries p·dOut; queries and keys in order.
// Shapes: rows[rows, ROW_FIELDS], qkv and dqkv[rows, 3·width] (query, key, value), out and dOut[rows, width], statistics[rows, heads, 2].
// One invocation takes one head of two rows, which read the others' vectors together: first as the queries of the keys before them, then as
// the keys of the queries after them.
// Source: the softmax gradient with recomputed weights of FlashAttention (arXiv 2205.14135, appendix B.2), without tiles.

override width: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<u32>;
@group(0) @binding(1) var<storage, read> qkv: array<mat4x4f>;
@group(0) @binding(2) var<storage, read> out: array<mat4x4f>;
@group(0) @binding(3) var<storage, read> statistics: array<vec2f>;
@group(0) @binding(4) var<storage, read> dOut: array<mat4x4f>;
@group(0) @binding(5) var<storage, read_write> dqkv: array<mat4x4f>;
@group(0) @binding(6) var<uniform> params: Params;

// 1/√HEAD_WIDTH
const SCALE = 0.25;

// A head is HEAD_WIDTH = 16 numbers, held as the four columns of a matrix.
fn along(x: mat4x4f, y: mat4x4f) -> f32 {
  return dot(x[0], y[0]) + dot(x[1], y[1]) + dot(x[2], y[2]) + dot(x[3], y[3]);
}

// The weight of a key for a query whose row of `statistics` is given; 0 where the two do not see each other.
fn weight_of(query: mat4x4f, key: mat4x4f, statistic: vec2f, sees: bool) -> f32 {
  return select(0.0, exp_or_zero(along(query, key) * SCALE - statistic.x) * statistic.y, sees);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let heads = width / HEAD_WIDTH;
  let head = index % heads;
  let row0 = index / heads * 2u;
  if (row0 >= params.rows) {
    return;
  }
  // Of an odd number of rows the last is taken twice, to the same result.
  let row1 = min(row0 + 1u, params.rows - 1u);
  let own0 = row0 * 3u * heads + head;
  let own1 = row1 * 3u * heads + head;
  let start0 = rows[row0 * ROW_FIELDS + ROW_KEY_START];
  let start1 = rows[row1 * ROW_FIELDS + ROW_KEY_START];

  let query0 = qkv[own0];
  let query1 = qkv[own1];
  let gradient0 = dOut[row0 * heads + head];
  let gradient1 = dOut[row1 * heads + head];
  let spread0 = along(gradient0, out[row0 * heads + head]);
  let spread1 = along(gradient1, out[row1 * heads + head]);
  let statistic0 = statistics[row0 * heads + head];
  let statistic1 = statistics[row1 * heads + head];
  var dQuery0 = mat4x4f();
  var dQuery1 = mat4x4f();
  // Sequences lie one after the other: keys of the first row's, then, if it is another, of the second's.
  for (var key = start0; key <= row1; key += 1u) {
    let at = key * 3u * heads + head;
    let other = qkv[at + heads];
    let value = qkv[at + 2u * heads];
    dQuery0 += other * (weight_of(query0, other, statistic0, key <= row0) * (along(gradient0, value) - spread0) * SCALE);
    dQuery1 += other * (weight_of(query1, other, statistic1, key >= start1) * (along(gradient1, value) - spread1) * SCALE);
  }
  dqkv[own0] = dQuery0;
  dqkv[own1] = dQuery1;

  let end0 = rows[row0 * ROW_FIELDS + ROW_END];
  let end1 = rows[row1 * ROW_FIELDS + ROW_END];
  let key0 = qkv[own0 + heads];
  let key1 = qkv[own1 + heads];
  let value0 = qkv[own0 + 2u * heads];
  let value1 = qkv[own1 + 2u * heads];
  var dKey0 = mat4x4f();
  var dKey1 = mat4x4f();
  var dValue0 = mat4x4f();
  var dValue1 = mat4x4f();
  for (var query = row0; query < end1; query += 1u) {
    let at = query * heads + head;
    let other = qkv[query * 3u * heads + head];
    let theirs = dOut[at];
    let score = statistics[at];
    let spread = along(theirs, out[at]);
    let weight0 = weight_of(other, key0, score, query < end0);
    let weight1 = weight_of(other, key1, score, query >= row1);
    dKey0 += other * (weight0 * (along(theirs, value0) - spread) * SCALE);
    dKey1 += other * (weight1 * (along(theirs, value1) - spread) * SCALE);
    dValue0 += theirs * weight0;
    dValue1 += theirs * weight1;
  }
  dqkv[own0 + heads] = dKey0;
  dqkv[own1 + heads] = dKey1;
  dqkv[own0 + 2u * heads] = dValue0;
  dqkv[own1 + 2u * heads] = dValue1;
}
