// gradient[s, k, n] += Σ over the rows of shard s, in order, of a[row, k] · dc[row, n].
// Shapes: a[rows, inner], dc[rows, columns], shardStarts[SHARDS + 1]; shard s of gradient begins at s·stride and is [inner, columns];
// inner, columns and stride are multiples of 4. One invocation makes 8 × 8 elements of one shard.
// Source: the transpose of kernels/matmul; fixed shards keep the order of the sum.

override inner: u32;
override columns: u32;
override stride: u32;

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> dc: array<vec4f>;
@group(0) @binding(2) var<storage, read> shardStarts: array<u32>;
@group(0) @binding(3) var<storage, read_write> gradient: array<vec4f>;

fn outer(left: vec4f, right: vec4f) -> mat4x4f {
  return mat4x4f(left.x * right, left.y * right, left.z * right, left.w * right);
}

fn kept(at: u32) -> mat4x4f {
  let across = columns / 4u;
  return mat4x4f(gradient[at], gradient[at + across], gradient[at + 2u * across], gradient[at + 3u * across]);
}

fn keep(at: u32, sum: mat4x4f) {
  let across = columns / 4u;
  gradient[at] = sum[0];
  gradient[at + across] = sum[1];
  gradient[at + 2u * across] = sum[2];
  gradient[at + 3u * across] = sum[3];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  let across = columns / 4u;
  let down = inner / 4u;
  let pairsAcross = (across + 1u) / 2u;
  let pairsDown = (down + 1u) / 2u;
  let shard = index / (pairsAcross * pairsDown);
  if (shard >= SHARDS) {
    return;
  }
  // What would lie past the end repeats the last of it and is not stored.
  let upper = index / pairsAcross % pairsDown * 2u;
  let left = index % pairsAcross * 2u;
  let lower = min(upper + 1u, down - 1u);
  let right = min(left + 1u, across - 1u);
  let start = shard * (stride / 4u);
  let upperLeftAt = start + upper * columns + left;
  let upperRightAt = start + upper * columns + right;
  let lowerLeftAt = start + lower * columns + left;
  let lowerRightAt = start + lower * columns + right;
  var upperLeft = kept(upperLeftAt);
  var upperRight = kept(upperRightAt);
  var lowerLeft = kept(lowerLeftAt);
  var lowerRight = kept(lowerRightAt);
  let end = shardStarts[shard + 1u];
  for (var row = shardStarts[shard]; row < end; row += 1u) {
    let above = a[row * down + upper];
    let below = a[row * down + lower];
    let first = dc[row * across + left];
    let second = dc[row * across + right];
    upperLeft += outer(above, first);
    upperRight += outer(above, second);
    lowerLeft += outer(below, first);
    lowerRight += outer(below, second);
  }
  keep(upperLeftAt, upperLeft);
  if (right > left) {
    keep(upperRightAt, upperRight);
  }
  if (lower > upper) {
    keep(lowerLeftAt, lowerLeft);
    if (right > left) {
      keep(lowerRightAt, lowerRight);
    }
  }
}
