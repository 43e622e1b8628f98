// AdamW on gradients clipped to a global norm: with g scaled by min(1, maxNorm/‖g‖), ‖g‖² = Σ normParts,
// m = β1·m + (1−β1)·g, v = β2·v + (1−β2)·g², w −= rate·(m·correction1/(√(v·correction2) + ε) + decay·w).
// Shapes: gradient, weights, first and second[count], normParts[NORM_PARTS]; count is a multiple of 4. One invocation takes 4 elements.
// Source: arXiv 1711.05101, algorithm 2; clipping arXiv 1211.5063.

override count: u32;

struct Params {
  rate: f32,
  correction1: f32,
  correction2: f32,
  maxNorm: f32,
  decay: f32,
}

@group(0) @binding(0) var<storage, read> gradient: array<vec4f>;
@group(0) @binding(1) var<storage, read> normParts: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> weights: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> first: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> second: array<vec4f>;
@group(0) @binding(5) var<uniform> params: Params;

const BETA1 = 0.9;
const BETA2 = 0.98;
const EPSILON = 1e-8;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  if (index >= count / 4u) {
    return;
  }
  var parts = vec4f();
  for (var part = 0u; part < NORM_PARTS / 4u; part += 1u) {
    parts += normParts[part];
  }
  let squares = parts.x + parts.y + parts.z + parts.w;
  let g = gradient[index] * min(1.0, params.maxNorm / sqrt(squares + 1e-20));
  let m = BETA1 * first[index] + (1.0 - BETA1) * g;
  let v = BETA2 * second[index] + (1.0 - BETA2) * g * g;
  first[index] = m;
  second[index] = v;
  let step = m * params.correction1 / (sqrt(v * params.correction2) + EPSILON);
  weights[index] -= params.rate * (step + params.decay * weights[index]);
}
