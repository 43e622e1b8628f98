// Logit gradients from the objective's per-token gradients, over the legal tokens, 0 elsewhere and in the padding:
// dLogprob·(onehot − p) + dEntropy·(−p·(log p + H)) + dKl·p·((log p − log pRef) − kl).
// Shapes: logits, referenceLogits and dLogits[rows, stride], targets[rows, 2] (token, state), legal[states, words] bits,
// stats and referenceStats[rows, 4] of kernels/token-stats, coefficients[rows, 4] = (dLogprob, dEntropy, dKl, kl).

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
@group(0) @binding(6) var<storage, read> coefficients: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> dLogits: array<f32>;
@group(0) @binding(8) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = linear_index(id, groups);
  if (row >= params.rows) {
    return;
  }
  let base = row * stride;
  let goal = targets[row];
  let bits = goal.y * words;
  let entropy = stats[row].y;
  let normaliser = stats[row].z;
  let referenceNormaliser = referenceStats[row].z;
  let coefficient = coefficients[row];
  for (var token = 0u; token < stride; token += 1u) {
    var gradient = 0.0;
    if (token < vocabulary && is_legal(legal[bits + (token >> 5u)], token)) {
      let logprob = logits[base + token] - normaliser;
      let excess = logprob - (referenceLogits[base + token] - referenceNormaliser);
      let p = exp_or_zero(logprob);
      let chosen = select(0.0, 1.0, token == goal.x);
      gradient = coefficient.x * (chosen - p) - coefficient.y * p * (logprob + entropy) + coefficient.z * p * (excess - coefficient.w);
    }
    dLogits[base + token] = gradient;
  }
}
