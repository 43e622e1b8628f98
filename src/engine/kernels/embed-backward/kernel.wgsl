// Adds dx of every row to the rows of the three embedding tables it was made of, one sum of rows a shard, rows in order.
// Shapes: rows[rows, ROW_FIELDS], dx[rows, width], shardStarts[SHARDS + 1]; shard s of gradient begins at s·stride with the token table,
// the other tables lie positionOffset and previousOffset behind it.
// One invocation walks one column of one shard, so no two write the same element.

override width: u32;
override positionOffset: u32;
override previousOffset: u32;
override stride: u32;

@group(0) @binding(0) var<storage, read> rows: array<u32>;
@group(0) @binding(1) var<storage, read> dx: array<f32>;
@group(0) @binding(2) var<storage, read> shardStarts: array<u32>;
@group(0) @binding(3) var<storage, read_write> gradient: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let shard = index / width;
  let d = index % width;
  if (shard >= SHARDS) {
    return;
  }
  let tokens = shard * stride + d;
  let positions = tokens + positionOffset;
  let previous = tokens + previousOffset;
  let end = shardStarts[shard + 1u];
  for (var row = shardStarts[shard]; row < end; row += 1u) {
    let base = row * ROW_FIELDS;
    let amount = dx[row * width + d];
    gradient[tokens + rows[base + ROW_TOKEN] * width] += amount;
    gradient[positions + rows[base + ROW_POSITION] * width] += amount;
    gradient[previous + rows[base + ROW_PREVIOUS] * width] += amount;
  }
}
