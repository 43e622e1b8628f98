// y = x · inverse · gain with inverse = 1/√(mean(x²) + ε), kept for the gradient.
// Shapes: x and y[rows, width], gain[width], inverse[rows]; width is a multiple of 4. One invocation takes one row.
// Source: RMSNorm, arXiv 1910.07467.

override width: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> gain: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> inverse: array<f32>;
@group(0) @binding(4) var<uniform> params: Params;

const EPSILON = 1e-5;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = linear_index(id, groups);
  if (row >= params.rows) {
    return;
  }
  let quarters = width / 4u;
  let base = row * quarters;
  var squares = vec4f();
  for (var d = 0u; d < quarters; d += 1u) {
    squares += x[base + d] * x[base + d];
  }
  let mean = (squares.x + squares.y + squares.z + squares.w) / f32(width);
  let scale = 1.0 / sqrt(mean + EPSILON);
  inverse[row] = scale;
  for (var d = 0u; d < quarters; d += 1u) {
    y[base + d] = x[base + d] * scale * gain[d];
  }
}
