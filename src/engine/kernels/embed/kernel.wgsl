// x[row] = tokenTable[token] + positionTable[position] + previousTable[previous token].
// Shapes: rows[rows, ROW_FIELDS], tables[…, width], x[rows, width].

override width: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<u32>;
@group(0) @binding(1) var<storage, read> tokenTable: array<f32>;
@group(0) @binding(2) var<storage, read> positionTable: array<f32>;
@group(0) @binding(3) var<storage, read> previousTable: array<f32>;
@group(0) @binding(4) var<storage, read_write> x: array<f32>;
@group(0) @binding(5) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let row = index / width;
  let d = index % width;
  if (row >= params.rows) {
    return;
  }
  let base = row * ROW_FIELDS;
  let token = tokenTable[rows[base + ROW_TOKEN] * width + d];
  let position = positionTable[rows[base + ROW_POSITION] * width + d];
  let previous = previousTable[rows[base + ROW_PREVIOUS] * width + d];
  x[index] = token + position + previous;
}
