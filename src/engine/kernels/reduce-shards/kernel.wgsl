// sum = Σ over shards, in order. Shapes: shards[SHARDS, count], sum[count]; count is a multiple of 4. One invocation adds 4 elements.

override count: u32;

@group(0) @binding(0) var<storage, read> shards: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> sum: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = linear_index(id, groups);
  if (index >= count / 4u) {
    return;
  }
  var total = vec4f();
  for (var shard = 0u; shard < SHARDS; shard += 1u) {
    total += shards[shard * (count / 4u) + index];
  }
  sum[index] = total;
}
