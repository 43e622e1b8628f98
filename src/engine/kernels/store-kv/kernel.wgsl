// cache[keyStart + position] = (key, value) of each row of qkv.
// Shapes: rows[rows, ROW_FIELDS], qkv[rows, 3·width] (query, key, value), cache[key rows, 2·width].

override width: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<u32>;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read_write> cache: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let row = index / (2u * width);
  let d = index % (2u * width);
  if (row >= params.rows) {
    return;
  }
  let to = rows[row * ROW_FIELDS + ROW_KEY_START] + rows[row * ROW_FIELDS + ROW_POSITION];
  cache[to * 2u * width + d] = qkv[row * 3u * width + width + d];
}
