// y[row] = x[index[row]], or zeros for NO_ROW.
// Shapes: x[…, width], index[rows], y[rows, width].

override width: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> index: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let at = linear_index(id, groups);
  let row = at / width;
  if (row >= params.rows) {
    return;
  }
  let source = index[row];
  var result = 0.0;
  if (source != NO_ROW) {
    result = x[source * width + at % width];
  }
  y[at] = result;
}
