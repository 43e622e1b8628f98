// Per target row, over the legal tokens of its automaton state: log-probability of the target, entropy, log-normaliser (nats), 0.
// With e = exp(z − largest) and S = Σ e: normaliser = largest + log S; entropy −Σ p·log p = log S − Σ e·(z − largest) / S.
// Shapes: logits[rows, stride], targets[rows, 2] (token, state), legal[states, words] bits, stats[rows, 4].

override vocabulary: u32;
override stride: u32;
override words: u32;

struct Params {
  rows: u32,
}

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> targets: array<vec2u>;
@group(0) @binding(2) var<storage, read> legal: array<u32>;
@group(0) @binding(3) var<storage, read_write> stats: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = linear_index(id, groups);
  if (row >= params.rows) {
    return;
  }
  let base = row * stride;
  let goal = targets[row];
  let bits = goal.y * words;
  // An illegal logit may be huge: it is replaced before anything is computed from it.
  var largest = NEVER;
  for (var token = 0u; token < vocabulary; token += 1u) {
    largest = max(largest, select(NEVER, logits[base + token], is_legal(legal[bits + (token >> 5u)], token)));
  }
  var sum = 0.0;
  var weighted = 0.0;
  for (var token = 0u; token < vocabulary; token += 1u) {
    let below = select(NEVER, logits[base + token], is_legal(legal[bits + (token >> 5u)], token)) - largest;
    let weight = exp_or_zero(below);
    sum += weight;
    weighted += weight * below;
  }
  let normaliser = largest + log(sum);
  stats[row] = vec4f(logits[base + goal.x] - normaliser, log(sum) - weighted / sum, normaliser, 0.0);
}
