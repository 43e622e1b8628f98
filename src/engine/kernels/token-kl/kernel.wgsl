// Exact KL(current ‖ reference) per target row over its legal tokens, nats: Σ p·(log p − log pRef).
// Shapes: logits and referenceLogits[rows, stride], targets[rows, 2] (token, state), legal[states, words] bits,
// stats and referenceStats[rows, 4] of kernels/token-stats on each, kl[rows].

override vocabulary: u32;
override stride: u32;
override words: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> referenceLogits: array<f32>;
@group(0) @binding(2) var<storage, read> targets: array<vec2u>;
@group(0) @binding(3) var<storage, read> legal: array<u32>;
@group(0) @binding(4) var<storage, read> stats: array<vec4f>;
@group(0) @binding(5) var<storage, read> referenceStats: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> kl: array<f32>;
@group(0) @binding(7) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = linear_index(id, groups);
  if (row >= params.rows) {
    return;
  }
  let base = row * stride;
  let bits = targets[row].y * words;
  let normaliser = stats[row].z;
  let referenceNormaliser = referenceStats[row].z;
  var sum = 0.0;
  for (var token = 0u; token < vocabulary; token += 1u) {
    if (is_legal(legal[bits + (token >> 5u)], token)) {
      let logprob = logits[base + token] - normaliser;
      sum += exp_or_zero(logprob) * (logprob - (referenceLogits[base + token] - referenceNormaliser));
    }
  }
  kl[row] = sum;
}
