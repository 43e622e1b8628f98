// c = a · b, then by `mode`: 0 stored; 1 other added; 2 ReLU; 3 kept only where other > 0 (the ReLU's gradient).
// Shapes: a[rows, inner], b[inner, columns], other and c[rows, columns]; inner and columns are multiples of 4.
// One invocation makes 8 rows × 8 columns in registers, neighbours along the columns; a is read four steps of `inner` at a time.
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

// Four rows from `row` on, the columns of `sum`; those past the end are not stored.
fn finish(row: u32, column: u32, sum: mat4x4f) {
  let across = columns / 4u;
  for (var down = 0u; down < 4u && row + down < params.rows; down += 1u) {
    let at = (row + down) * across + column;
    var result = sum[down];
    if (mode == 1u) {
      result += other[at];
    } else if (mode == 2u) {
      result = max(result, vec4f());
    } else if (mode == 3u) {
      result = select(vec4f(), result, other[at] > vec4f());
    }
    c[at] = result;
  }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let across = columns / 4u;
  let pairs = (across + 1u) / 2u;
  let row = index / pairs * 8u;
  let column = index % pairs * 2u;
  if (row >= params.rows) {
    return;
  }
  // Rows and columns past the end repeat the last ones and are not stored, so a sum never depends on its block.
  let last = params.rows - 1u;
  let steps = inner / 4u;
  let from0 = row * steps;
  let from1 = min(row + 1u, last) * steps;
  let from2 = min(row + 2u, last) * steps;
  let from3 = min(row + 3u, last) * steps;
  let from4 = min(row + 4u, last) * steps;
  let from5 = min(row + 5u, last) * steps;
  let from6 = min(row + 6u, last) * steps;
  let from7 = min(row + 7u, last) * steps;
  var left = column;
  var right = min(column + 1u, across - 1u);
  let isPair = right > left;
  var upperLeft = mat4x4f();
  var upperRight = mat4x4f();
  var lowerLeft = mat4x4f();
  var lowerRight = mat4x4f();
  for (var step = 0u; step < steps; step += 1u) {
    let upper = mat4x4f(a[from0 + step], a[from1 + step], a[from2 + step], a[from3 + step]);
    let lower = mat4x4f(a[from4 + step], a[from5 + step], a[from6 + step], a[from7 + step]);
    let first = mat4x4f(b[left], b[left + across], b[left + 2u * across], b[left + 3u * across]);
    upperLeft += first * upper;
    lowerLeft += first * lower;
    let second = mat4x4f(b[right], b[right + across], b[right + 2u * across], b[right + 3u * across]);
    upperRight += second * upper;
    lowerRight += second * lower;
    left += columns;
    right += columns;
  }
  finish(row, column, upperLeft);
  finish(row + 4u, column, lowerLeft);
  if (isPair) {
    finish(row, column + 1u, upperRight);
    finish(row + 4u, column + 1u, lowerRight);
  }
}
