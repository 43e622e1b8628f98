// gradient[s, k, n] += Σ over the rows of shard s, in order, of a[row, k] · dc[row, n].
// Shapes: a[rows, inner], dc[rows, columns], shardStarts[SHARDS + 1]; shard s of gradient begins at s·stride and is [inner, columns];
// inner, columns and stride are multiples of 4. One invocation makes 4 × 4 elements of one shard.
// Source: the transpose of kernels/matmul; fixed shards keep the order of the sum.

override inner: u32;
override columns: u32;
override stride: u32;

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> dc: array<vec4f>;
@group(0) @binding(2) var<storage, read> shardStarts: array<u32>;
@group(0) @binding(3) var<storage, read_write> gradient: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let across = columns / 4u;
  let down = inner / 4u;
  let shard = index / (across * down);
  if (shard >= SHARDS) {
    return;
  }
  let k = index / across % down;
  let n = index % across;
  let at = shard * (stride / 4u) + k * columns + n;
  var sum0 = gradient[at];
  var sum1 = gradient[at + across];
  var sum2 = gradient[at + 2u * across];
  var sum3 = gradient[at + 3u * across];
  let end = shardStarts[shard + 1u];
  for (var row = shardStarts[shard]; row < end; row += 1u) {
    let left = a[row * down + k];
    let right = dc[row * across + n];
    sum0 += left.x * right;
    sum1 += left.y * right;
    sum2 += left.z * right;
    sum3 += left.w * right;
  }
  gradient[at] = sum0;
  gradient[at + across] = sum1;
  gradient[at + 2u * across] = sum2;
  gradient[at + 3u * across] = sum3;
}
