// gradient[s·stride + d] += Σ over the rows of shard s, in order, of dy[row, d]·x[row, d]·inverse[row].
// Shapes: x and dy[rows, width], inverse[rows], shardStarts[SHARDS + 1]. One invocation walks one column of one shard.
// Source: the gradient of kernels/rms-norm.

override width: u32;
override stride: u32;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> inverse: array<f32>;
@group(0) @binding(2) var<storage, read> dy: array<f32>;
@group(0) @binding(3) var<storage, read> shardStarts: array<u32>;
@group(0) @binding(4) var<storage, read_write> gradient: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let shard = index / width;
  let d = index % width;
  if (shard >= SHARDS) {
    return;
  }
  var sum = gradient[shard * stride + d];
  let end = shardStarts[shard + 1u];
  for (var row = shardStarts[shard]; row < end; row += 1u) {
    sum += dy[row * width + d] * x[row * width + d] * inverse[row];
  }
  gradient[shard * stride + d] = sum;
}
