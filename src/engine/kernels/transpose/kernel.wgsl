// b = aᵀ. Shapes: a[rows, columns], b[columns, rows].

override rows: u32;
override columns: u32;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  if (index >= rows * columns) {
    return;
  }
  // Writes are contiguous: neighbours of b are what neighbouring invocations make.
  b[index] = a[index % rows * columns + index / rows];
}
