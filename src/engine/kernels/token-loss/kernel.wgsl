// A loss that is a sum over tokens: with ρ = exp(logprob − behaviour) and c = clip(ρ, low, high), a row's part is
// weight·(surrogate − entropyCoefficient·entropy + klCoefficient·KL) + valueWeight·(V − G)²/2, where the surrogate is max(−A·ρ, −A·c), at most
// −dualClip·A for A < 0 (surrogate 0), or −c·A·logprob with c held fixed (surrogate 1). Writes what it takes before the gradient of the logits and
// of the values, and per invocation the sums over its rows: loss, rows clipped, Σ (ρ − 1) − log ρ, entropy; the largest ρ.
// Shapes: stats and referenceStats[rows, 4] of kernels/token-stats, kl[rows], values[rows, 4] (V, …), tokens[rows, 4] = (A, behaviour, weight, G),
// coefficients[rows, 4] = (dLogprob, dEntropy, dKl, kl), dValues[rows, 4], sums[LOSS_PARTS, 8].
// Source: arXiv 1707.06347, equation 7; dual clip arXiv 1912.09729; held weights arXiv 2506.13585, equation 4; k1 to k3
// http://joschu.net/blog/kl-approx.html.

struct Params {
  rows: u32,
  surrogate: u32,
  low: f32,
  high: f32,
  dualClip: f32,
  entropyCoefficient: f32,
  klCoefficient: f32,
  klEstimator: u32,
  valueWeight: f32,
}

@group(0) @binding(0) var<storage, read> stats: array<vec4f>;
@group(0) @binding(1) var<storage, read> referenceStats: array<vec4f>;
@group(0) @binding(2) var<storage, read> kl: array<f32>;
@group(0) @binding(3) var<storage, read> values: array<vec4f>;
@group(0) @binding(4) var<storage, read> tokens: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> coefficients: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> dValues: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> sums: array<vec4f>;
@group(0) @binding(8) var<uniform> params: Params;

const LOSS_PARTS = 64u;
const HIGHEST_LOG_RATIO = 80.0;

// Written so that what is no number stays none.
fn bounded_above(x: f32) -> f32 {
  return select(x, HIGHEST_LOG_RATIO, x > HIGHEST_LOG_RATIO);
}

// (value, slope with respect to the log-probability)
fn estimate(d: f32) -> vec2f {
  if (params.klEstimator == 1u) {
    return vec2f(d, 1.0);
  }
  if (params.klEstimator == 2u) {
    return vec2f(0.5 * d * d, d);
  }
  let inverse = exp(bounded_above(-d));
  return vec2f(excess(-d, inverse), 1.0 - inverse);
}

// e^x − 1 − x, given e^x; the difference of near equals is taken as a series.
fn excess(x: f32, power: f32) -> f32 {
  if (abs(x) < 0.05) {
    return x * x * (0.5 + x * (1.0 / 6.0 + x / 24.0));
  }
  return power - 1.0 - x;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let part = linear_index(id, groups);
  if (part >= LOSS_PARTS) {
    return;
  }
  var total = vec4f();
  var largest = 0.0;
  for (var row = part; row < params.rows; row += LOSS_PARTS) {
    let logprob = stats[row].x;
    let entropy = stats[row].y;
    let token = tokens[row];
    let advantage = token.x;
    let weight = token.z;
    let log_ratio = bounded_above(logprob - token.y);
    let ratio = exp(log_ratio);
    let held = clamp(ratio, params.low, params.high);
    var loss = -advantage * ratio;
    var slope = loss;
    var clipped = 0.0;
    if (params.surrogate == 1u) {
      slope = -held * advantage;
      loss = slope * logprob;
      clipped = select(0.0, 1.0, held != ratio);
    } else {
      if (-advantage * held > loss) {
        loss = -advantage * held;
        slope = 0.0;
        clipped = 1.0;
      }
      if (params.dualClip > 0.0 && advantage < 0.0 && loss > -params.dualClip * advantage) {
        loss = -params.dualClip * advantage;
        slope = 0.0;
      }
    }
    var coefficient = vec4f(weight * slope, -params.entropyCoefficient * weight, 0.0, 0.0);
    loss = weight * (loss - params.entropyCoefficient * entropy);
    if (params.klCoefficient != 0.0) {
      let scale = params.klCoefficient * weight;
      if (params.klEstimator == 0u) {
        coefficient.z = scale;
        coefficient.w = kl[row];
        loss += scale * kl[row];
      } else {
        let estimated = estimate(logprob - referenceStats[row].x);
        coefficient.x += scale * estimated.y;
        loss += scale * estimated.x;
      }
    }
    coefficients[row] = coefficient;
    if (params.valueWeight != 0.0) {
      let error = values[row].x - token.w;
      dValues[row] = vec4f(params.valueWeight * error, 0.0, 0.0, 0.0);
      loss += 0.5 * params.valueWeight * error * error;
    }
    total += vec4f(loss, clipped, excess(log_ratio, ratio), entropy);
    largest = max(largest, ratio);
  }
  sums[2u * part] = total;
  sums[2u * part + 1u] = vec4f(largest, 0.0, 0.0, 0.0);
}
