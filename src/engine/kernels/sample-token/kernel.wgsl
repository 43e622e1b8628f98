// Draws the next token of every row that is not done, writes it to the row's request and makes the row the next one to be computed.
// The draw: the first legal token, in order of ids, whose cumulative weight exceeds uniform · Σ weights; `greedy` 1 takes the largest
// logit, first on ties. A state that forces the action's end has it appended at once with log-probability 0.
// Shapes: logits[rows, stride], uniforms[requests, limit], automaton[states, vocabulary + 1] (next state, and the forced token or
// NOT_FORCED), rows[rows, ROW_FIELDS] with the request in ROW_END, actions[requests, limit, 3] (token, state before it, log-probability).
// The normaliser is made as in kernels/token-stats, so that both give the same log-probability.

override vocabulary: u32;
override stride: u32;
override limit: u32;

struct Params {
  rows: u32,
  greedy: u32,
}

@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> uniforms: array<f32>;
@group(0) @binding(2) var<storage, read> automaton: array<u32>;
@group(0) @binding(3) var<storage, read_write> rows: array<u32>;
@group(0) @binding(4) var<storage, read_write> actions: array<f32>;
@group(0) @binding(5) var<uniform> params: Params;

const NONE = 0xffffffffu;

fn write(at: u32, token: u32, state: u32, logprob: f32) {
  actions[at * 3u] = f32(token);
  actions[at * 3u + 1u] = f32(state);
  actions[at * 3u + 2u] = logprob;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let row = linear_index(id, groups);
  if (row >= params.rows) {
    return;
  }
  let own = row * ROW_FIELDS;
  if (rows[own + ROW_DONE] == 1u) {
    return;
  }
  let base = row * stride;
  let state = rows[own + ROW_STATE];
  let edges = state * (vocabulary + 1u);
  var count = rows[own + ROW_COUNT];
  let action = rows[own + ROW_END] * limit;

  var largest = NEVER;
  for (var token = 0u; token < vocabulary; token += 1u) {
    largest = max(largest, select(NEVER, logits[base + token], automaton[edges + token] != ILLEGAL));
  }
  var sum = 0.0;
  for (var token = 0u; token < vocabulary; token += 1u) {
    sum += exp_or_zero(select(NEVER, logits[base + token], automaton[edges + token] != ILLEGAL) - largest);
  }
  let normaliser = largest + log(sum);

  let bound = uniforms[action + count] * sum;
  var chosen = NONE;
  var last = 0u;
  var cumulative = 0.0;
  for (var token = 0u; token < vocabulary; token += 1u) {
    if (automaton[edges + token] != ILLEGAL) {
      last = token;
      cumulative += exp_or_zero(logits[base + token] - largest);
      let taken = select(cumulative > bound, logits[base + token] == largest, params.greedy == 1u);
      if (chosen == NONE && taken) {
        chosen = token;
      }
    }
  }
  if (chosen == NONE) {
    chosen = last;
  }

  write(action + count, chosen, state, logits[base + chosen] - normaliser);
  count += 1u;
  var previous = rows[own + ROW_TOKEN];
  var token = chosen;
  var position = rows[own + ROW_POSITION] + 1u;
  var after = automaton[edges + chosen];
  if (after != ACCEPT && count < limit) {
    let forced = automaton[after * (vocabulary + 1u) + vocabulary];
    if (forced != NOT_FORCED) {
      write(action + count, forced, after, 0.0);
      count += 1u;
      previous = token;
      token = forced;
      position += 1u;
      after = ACCEPT;
    }
  }
  rows[own + ROW_TOKEN] = token;
  rows[own + ROW_PREVIOUS] = previous;
  rows[own + ROW_POSITION] = position;
  rows[own + ROW_STATE] = after;
  rows[own + ROW_COUNT] = count;
  rows[own + ROW_DONE] = select(0u, 1u, after == ACCEPT || count >= limit);
}
