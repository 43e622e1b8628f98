import { exp4 } from "../../wasm/vector";

const PARTS: u32 = 64;
const HIGHEST: f32 = 80;

// @ts-ignore: decorator
@inline
function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** e^x − 1 − x, given e^x; the difference of near equals is taken as a series. */
function excess(x: f32, power: f32): f32 {
  return abs(x) < <f32>0.05 ? x * x * (<f32>0.5 + x * (<f32>(1.0 / 6.0) + x / <f32>24)) : power - <f32>1 - x;
}

export function tokenLoss(
  stats: usize, referenceStats: usize, kl: usize, values: usize, tokens: usize, coefficients: usize, dValues: usize, sums: usize,
  rows: u32, surrogate: u32, low: f32, high: f32, dualClip: f32, entropyCoefficient: f32, klCoefficient: f32, klEstimator: u32, valueWeight: f32,
): void {
  for (let part: u32 = 0; part < PARTS; part++) {
    let total: f32 = 0;
    let clipped: f32 = 0;
    let drift: f32 = 0;
    let entropies: f32 = 0;
    let largest: f32 = 0;
    for (let row = part; row < rows; row += PARTS) {
      const at = (<usize>row) << 4;
      const logprob = load<f32>(stats + at);
      const entropy = load<f32>(stats + at, 4);
      const advantage = load<f32>(tokens + at);
      const weight = load<f32>(tokens + at, 8);
      const logRatio = min(logprob - load<f32>(tokens + at, 4), HIGHEST);
      const ratio = exp1(logRatio);
      const held = min(max(ratio, low), high);
      let loss = -advantage * ratio;
      let slope = loss;
      if (surrogate == 1) {
        slope = -held * advantage;
        loss = slope * logprob;
        if (held != ratio) clipped += 1;
      } else {
        if (-advantage * held > loss) {
          loss = -advantage * held;
          slope = 0;
          clipped += 1;
        }
        if (dualClip > 0 && advantage < 0 && loss > -dualClip * advantage) {
          loss = -dualClip * advantage;
          slope = 0;
        }
      }
      let dLogprob = weight * slope;
      let dKl: f32 = 0;
      let exact: f32 = 0;
      loss = weight * (loss - entropyCoefficient * entropy);
      if (klCoefficient != 0) {
        const scale = klCoefficient * weight;
        if (klEstimator == 0) {
          dKl = scale;
          exact = load<f32>(kl + ((<usize>row) << 2));
          loss += scale * exact;
        } else {
          const d = logprob - load<f32>(referenceStats + at);
          let estimated = d;
          let pull: f32 = 1;
          if (klEstimator == 2) {
            estimated = <f32>0.5 * d * d;
            pull = d;
          } else if (klEstimator == 3) {
            const inverse = exp1(min(-d, HIGHEST));
            estimated = excess(-d, inverse);
            pull = <f32>1 - inverse;
          }
          dLogprob += scale * pull;
          loss += scale * estimated;
        }
      }
      v128.store(coefficients + at, f32x4(dLogprob, -entropyCoefficient * weight, dKl, exact));
      if (valueWeight != 0) {
        const error = load<f32>(values + at) - load<f32>(tokens + at, 12);
        v128.store(dValues + at, f32x4(valueWeight * error, 0, 0, 0));
        loss += <f32>0.5 * valueWeight * error * error;
      }
      total += loss;
      drift += excess(logRatio, ratio);
      entropies += entropy;
      largest = max(largest, ratio);
    }
    const to = sums + ((<usize>part) << 5);
    v128.store(to, f32x4(total, clipped, drift, entropies));
    v128.store(to, f32x4(largest, 0, 0, 0), 16);
  }
}
