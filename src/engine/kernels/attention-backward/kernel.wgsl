// Gradient of kernels/attention over packed training rows. With p the attention weights and D = Σ dOut·out of a query's head:
// ds = p·(dOut·v − D)/√HEAD_WIDTH; dq = Σ_keys ds·k; dk = Σ_queries ds·q; dv = Σ_queries p·dOut; queries and keys in order.
// Shapes: rows[rows, ROW_FIELDS], qkv and dqkv[rows, 3·width] (query, key, value), out and dOut[rows, width], statistics[rows, heads, 2].
// One invocation takes one head of one row: first as the query of the keys before it, then as the key of the queries after it.
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

// A head is HEAD_WIDTH = 16 numbers, held as the four columns of a matrix.
fn along(x: mat4x4f, y: mat4x4f) -> f32 {
  return dot(x[0], y[0]) + dot(x[1], y[1]) + dot(x[2], y[2]) + dot(x[3], y[3]);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let heads = width / HEAD_WIDTH;
  let row = index / heads;
  let head = index % heads;
  if (row >= params.rows) {
    return;
  }
  let scale = 1.0 / sqrt(f32(HEAD_WIDTH));
  let own = row * 3u * heads + head;
  let ownQuery = qkv[own];
  let ownKey = qkv[own + heads];
  let ownValue = qkv[own + 2u * heads];

  let start = rows[row * ROW_FIELDS + ROW_KEY_START];
  let gradient = dOut[index];
  let spread = along(gradient, out[index]);
  let statistic = statistics[index];
  var dQuery = mat4x4f();
  for (var key = start; key <= row; key += 1u) {
    let at = key * 3u * heads + head;
    let other = qkv[at + heads];
    let weight = exp_or_zero(along(ownQuery, other) * scale - statistic.x) * statistic.y;
    dQuery += other * (weight * (along(gradient, qkv[at + 2u * heads]) - spread) * scale);
  }
  dqkv[own] = dQuery;

  let end = rows[row * ROW_FIELDS + ROW_END];
  var dKey = mat4x4f();
  var dValue = mat4x4f();
  for (var query = row; query < end; query += 1u) {
    let at = query * heads + head;
    let other = qkv[query * 3u * heads + head];
    let theirs = dOut[at];
    let score = statistics[at];
    let weight = exp_or_zero(along(other, ownKey) * scale - score.x) * score.y;
    dKey += other * (weight * (along(theirs, ownValue) - along(theirs, out[at])) * scale);
    dValue += theirs * weight;
  }
  dqkv[own + heads] = dKey;
  dqkv[own + 2u * heads] = dValue;
}
