// c = a · b, then by `mode`: 0 stored; 1 other added; 2 ReLU; 3 kept only where other > 0 (the ReLU's gradient).
// Shapes: a[rows, inner], b[inner, columns], other and c[rows, columns]; inner and columns are multiples of 4.
// One invocation makes 4 rows × 4 columns in registers, neighbours along the columns; a is read four steps of `inner` at a time.
// Source: register blocking without workgroup memory, as in jott.live's WebGPU matmul.

override inner: u32;
override columns: u32;
override mode: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read> other: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> c: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

fn finish(at: u32, sum: vec4f) {
  var result = sum;
  if (mode == 1u) {
    result = sum + other[at];
  } else if (mode == 2u) {
    result = max(sum, vec4f());
  } else if (mode == 3u) {
    result = select(vec4f(), sum, other[at] > vec4f());
  }
  c[at] = result;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let across = columns / 4u;
  let row = index / across * 4u;
  let column = index % across;
  if (row >= params.rows) {
    return;
  }
  // Rows past the end repeat the last one and are not stored, so a row's sum never depends on its block.
  let last = params.rows - 1u;
  let steps = inner / 4u;
  let from0 = row * steps;
  let from1 = min(row + 1u, last) * steps;
  let from2 = min(row + 2u, last) * steps;
  let from3 = min(row + 3u, last) * steps;
  var sum0 = vec4f();
  var sum1 = vec4f();
  var sum2 = vec4f();
  var sum3 = vec4f();
  var below = column;
  for (var step = 0u; step < steps; step += 1u) {
    let block = mat4x4f(b[below], b[below + across], b[below + 2u * across], b[below + 3u * across]);
    below += columns;
    sum0 += block * a[from0 + step];
    sum1 += block * a[from1 + step];
    sum2 += block * a[from2 + step];
    sum3 += block * a[from3 + step];
  }
  let at = row * across + column;
  finish(at, sum0);
  if (row + 1u < params.rows) {
    finish(at + across, sum1);
  }
  if (row + 2u < params.rows) {
    finish(at + 2u * across, sum2);
  }
  if (row + 3u < params.rows) {
    finish(at + 3u * across, sum3);
  }
}
