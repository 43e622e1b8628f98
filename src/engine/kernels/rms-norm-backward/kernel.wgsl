// dx (+)= inverse·(gain·dy) − x·inverse³/width · Σ(gain·dy·x); added to what dx holds when `accumulate` is 1.
// Shapes: x, dy and dx[rows, width], gain[width], inverse[rows]; width is a multiple of 4. One invocation takes one row.
// Source: the gradient of kernels/rms-norm.

override width: u32;
override accumulate: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> gain: array<vec4f>;
@group(0) @binding(2) var<storage, read> inverse: array<f32>;
@group(0) @binding(3) var<storage, read> dy: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> dx: array<vec4f>;
@group(0) @binding(5) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = linear_index(id, groups);
  if (row >= params.rows) {
    return;
  }
  let quarters = width / 4u;
  let base = row * quarters;
  let scale = inverse[row];
  var products = vec4f();
  for (var d = 0u; d < quarters; d += 1u) {
    products += gain[d] * dy[base + d] * x[base + d];
  }
  let along = scale * scale * scale * (products.x + products.y + products.z + products.w) / f32(width);
  for (var d = 0u; d < quarters; d += 1u) {
    var gradient = scale * gain[d] * dy[base + d] - along * x[base + d];
    if (accumulate == 1u) {
      gradient += dx[base + d];
    }
    dx[base + d] = gradient;
  }
}
