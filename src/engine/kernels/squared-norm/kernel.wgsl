// partials[p] = Σ x² over the p-th of NORM_PARTS equal runs of x, in order. Shapes: x[count], partials[NORM_PARTS]; count is a multiple of
// NORM_PARTS, which fixes the order of addition.

override count: u32;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> partials: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let part = linear_index(id, groups);
  if (part >= NORM_PARTS) {
    return;
  }
  let run = count / NORM_PARTS;
  var sum = 0.0;
  for (var index = part * run; index < (part + 1u) * run; index += 1u) {
    sum += x[index] * x[index];
  }
  partials[part] = sum;
}
