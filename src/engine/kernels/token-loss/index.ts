import type { TokenLoss, TokenSums } from "#core/objective.ts";
import type { Rng } from "#core/chance.ts";
import { exp } from "#core/math.ts";
import { f32, ODD_SIZES, value, zeros, type KernelCase, type KernelDefinition, type Values, type View } from "../../kernel.ts";
import { COEFFICIENT, COEFFICIENT_FIELDS, STATS, STATS_FIELDS } from "../legal.ts";
import wgsl from "./kernel.wgsl?raw";

/** Layout of a row of `tokens` (f32 × 4). */
export const LOSS_TOKEN_FIELDS = 4;
export const LOSS_TOKEN = { ADVANTAGE: 0, BEHAVIOUR: 1, WEIGHT: 2, RETURN: 3 } as const;
/** Layout of a row of `sums` (f32 × 8): the largest ratio is a maximum, the others are sums; the rest is 0. */
const SUM_FIELDS = 8;
const SUM = { LOSS: 0, CLIPPED: 1, DRIFT: 2, ENTROPY: 3, MAX_RATIO: 4 } as const;
/** Rows are dealt out to this many invocations, whatever their number: so the order of addition is fixed. */
export const LOSS_PARTS = 64;
export const LOSS_SUMS = LOSS_PARTS * SUM_FIELDS;
const SURROGATES = { ratio: 0, weight: 1 } as const satisfies Record<TokenLoss["surrogate"], number>;
const ESTIMATORS = { exact: 0, k1: 1, k2: 2, k3: 3 } as const satisfies Record<TokenLoss["klEstimator"], number>;
/** exp of more overflows 32 bits not far above; a ratio this large ends the run either way. */
export const HIGHEST_LOG_RATIO = 80;
const VALUE_FIELDS = 4;

/** What varies between two calls, from the loss. */
export const lossValues = ({ surrogate, clipLow, clipHigh, dualClip, entropyCoefficient, klCoefficient, klEstimator, valueWeight }: TokenLoss, rows: number): Values => ({
  rows, surrogate: SURROGATES[surrogate], low: 1 - clipLow, high: 1 + clipHigh, dualClip: dualClip ?? 0, entropyCoefficient, klCoefficient,
  klEstimator: ESTIMATORS[klEstimator], valueWeight,
});

/** The parts together. */
export function sumsOf(parts: View): TokenSums {
  const [total, most] = [new Float64Array(SUM_FIELDS), new Float64Array(SUM_FIELDS)];
  for (let at = 0; at < LOSS_SUMS; at += 1) {
    const part = parts[at] ?? 0;
    total[at % SUM_FIELDS] = (total[at % SUM_FIELDS] ?? 0) + part;
    most[at % SUM_FIELDS] = Math.max(most[at % SUM_FIELDS] ?? 0, part);
  }
  return { loss: total[SUM.LOSS] ?? 0, clipped: total[SUM.CLIPPED] ?? 0, drift: total[SUM.DRIFT] ?? 0, entropy: total[SUM.ENTROPY] ?? 0, maxRatio: most[SUM.MAX_RATIO] ?? 0 };
}

/** @returns value of the estimate and its slope with respect to the log-probability, d = logprob − reference */
function estimate(d: number, estimator: number): readonly [number, number] {
  if (estimator === ESTIMATORS.k1) return [d, 1];
  if (estimator === ESTIMATORS.k2) return [(d * d) / 2, d];
  const inverse = exp(Math.min(-d, HIGHEST_LOG_RATIO));
  return [inverse + d - 1, 1 - inverse];
}

/**
 * A `TokenLoss` (core/objective.ts) row by row: coefficients[rows] for `token-gradient`, dValues[rows, 4] = (valueWeight·(V − G), 0, 0, 0)
 * where valueWeight is not 0, and the sums of part p over rows p, p + LOSS_PARTS, … as sums[p]. Stats are those of `token-stats`, tokens[rows] =
 * (A, behaviour log-probability, weight, return G); referenceStats, kl and values are read only where their coefficient is not 0. low and high
 * are the ends of the clip range; dualClip 0 is off; log ratios count as 80 at most. No name of an algorithm is known here: PPO's surrogate
 * (arXiv 1707.06347, equation 7) with a dual clip (arXiv 1912.09729), and a log-probability with a bounded weight (arXiv 2506.13585, equation 4).
 */
export const tokenLoss: KernelDefinition = {
  name: "token-loss",
  bindings: [
    { name: "stats", kind: "f32", access: "read" },
    { name: "referenceStats", kind: "f32", access: "read" },
    { name: "kl", kind: "f32", access: "read" },
    { name: "values", kind: "f32", access: "read" },
    { name: "tokens", kind: "f32", access: "read" },
    { name: "coefficients", kind: "f32", access: "write" },
    { name: "dValues", kind: "f32", access: "write" },
    { name: "sums", kind: "f32", access: "write" },
  ],
  sizes: [],
  params: [
    { name: "rows", kind: "u32" },
    { name: "surrogate", kind: "u32" },
    { name: "low", kind: "f32" },
    { name: "high", kind: "f32" },
    { name: "dualClip", kind: "f32" },
    { name: "entropyCoefficient", kind: "f32" },
    { name: "klCoefficient", kind: "f32" },
    { name: "klEstimator", kind: "u32" },
    { name: "valueWeight", kind: "f32" },
  ],
  threads: () => LOSS_PARTS,
  workgroupSize: 64,
  wgsl,
  // Ratios near e^80 are known to 80 · 2^-24 and what their exponential adds.
  tolerance: 3e-5,
  reference(views, given) {
    const [stats, referenceStats, kl, values, tokens] = [f32(views, 0), f32(views, 1), f32(views, 2), f32(views, 3), f32(views, 4)];
    const [coefficients, dValues, sums] = [f32(views, 5), f32(views, 6), f32(views, 7)];
    const of = (name: string): number => value(given, name);
    const [rows, low, high, dualClip, valueWeight] = [of("rows"), of("low"), of("high"), of("dualClip"), of("valueWeight")];
    for (let part = 0; part < LOSS_PARTS; part += 1) {
      let [lossSum, clipped, drift, entropySum, maxRatio] = [0, 0, 0, 0, 0];
      for (let row = part; row < rows; row += LOSS_PARTS) {
        const [logprob, entropy] = [stats[row * STATS_FIELDS + STATS.LOGPROB] ?? 0, stats[row * STATS_FIELDS + STATS.ENTROPY] ?? 0];
        const token = (field: number): number => tokens[row * LOSS_TOKEN_FIELDS + field] ?? 0;
        const [advantage, weight] = [token(LOSS_TOKEN.ADVANTAGE), token(LOSS_TOKEN.WEIGHT)];
        const logRatio = Math.min(logprob - token(LOSS_TOKEN.BEHAVIOUR), HIGHEST_LOG_RATIO);
        const ratio = exp(logRatio);
        const bounded = Math.min(Math.max(ratio, low), high);
        let [loss, slope] = [-advantage * ratio, -advantage * ratio];
        if (of("surrogate") === SURROGATES.weight) {
          slope = -bounded * advantage;
          loss = slope * logprob;
          if (bounded !== ratio) clipped += 1;
        } else {
          if (-advantage * bounded > loss) {
            [loss, slope] = [-advantage * bounded, 0];
            clipped += 1;
          }
          if (dualClip > 0 && advantage < 0 && loss > -dualClip * advantage) [loss, slope] = [-dualClip * advantage, 0];
        }
        const klWeight = of("klCoefficient") * weight;
        const exact = klWeight !== 0 && of("klEstimator") === ESTIMATORS.exact ? (kl[row] ?? 0) : 0;
        const isEstimated = klWeight !== 0 && of("klEstimator") !== ESTIMATORS.exact;
        const [estimated, pull] = isEstimated ? estimate(logprob - (referenceStats[row * STATS_FIELDS + STATS.LOGPROB] ?? 0), of("klEstimator")) : [0, 0];
        const at = row * COEFFICIENT_FIELDS;
        coefficients[at + COEFFICIENT.LOGPROB] = weight * slope + klWeight * pull;
        coefficients[at + COEFFICIENT.ENTROPY] = -of("entropyCoefficient") * weight;
        coefficients[at + COEFFICIENT.KL] = of("klEstimator") === ESTIMATORS.exact ? klWeight : 0;
        coefficients[at + COEFFICIENT.KL_VALUE] = exact;
        lossSum += weight * (loss - of("entropyCoefficient") * entropy) + klWeight * (exact + estimated);
        if (valueWeight !== 0) {
          const error = (values[row * VALUE_FIELDS] ?? 0) - token(LOSS_TOKEN.RETURN);
          lossSum += 0.5 * valueWeight * error * error;
          dValues.fill(0, row * VALUE_FIELDS, (row + 1) * VALUE_FIELDS);
          dValues[row * VALUE_FIELDS] = valueWeight * error;
        }
        drift += ratio - 1 - logRatio;
        entropySum += entropy;
        maxRatio = Math.max(maxRatio, ratio);
      }
      sums.set([lossSum, clipped, drift, entropySum, maxRatio, 0, 0, 0], part * SUM_FIELDS);
    }
  },
  cases: (rng) =>
    [...ODD_SIZES, 3 * LOSS_PARTS + 5].flatMap((rows) =>
      CASES.map((change) => lossCase(rng, rows, { ...PLAIN, ...change }, `${rows} rows, ${JSON.stringify(change)}`))),
};

type Settings = Omit<TokenLoss, "weights" | "advantages" | "behaviorLogprobs" | "returns">;
const PLAIN: Settings = { surrogate: "ratio", clipLow: 0.2, clipHigh: 0.28, dualClip: null, entropyCoefficient: 0, klCoefficient: 0, klEstimator: "exact", valueWeight: 0 };
const CASES: readonly Partial<Settings>[] = [
  {}, { dualClip: 1.5, entropyCoefficient: 0.3 }, { klCoefficient: 0.4, valueWeight: 0.7 }, { surrogate: "weight", klCoefficient: 0.4, klEstimator: "k1" },
  { surrogate: "weight", clipLow: 0, clipHigh: 0, klCoefficient: 0.4, klEstimator: "k2", valueWeight: 0.2 }, { dualClip: 3, klCoefficient: 0.4, klEstimator: "k3" },
];

/** Ratios from far below to far above the range, some of them 1 to the last bit, and some advantages 0; weights are those of a mean. */
function lossCase(rng: Rng, rows: number, settings: Settings, label: string): KernelCase {
  const [stats, referenceStats, kl, values, tokens] = [zeros(rows * STATS_FIELDS), zeros(rows * STATS_FIELDS), zeros(rows), zeros(rows * VALUE_FIELDS), zeros(rows * LOSS_TOKEN_FIELDS)];
  const spread = (scale: number): number => (rng.next() * 2 - 1) * scale;
  for (let row = 0; row < rows; row += 1) {
    const logprob = Math.fround(-3 * rng.next());
    const away = row % 5 === 0 ? 0 : row % 7 === 3 ? spread(6) : spread(0.5);
    stats.set([logprob, 2 * rng.next(), spread(3), 0], row * STATS_FIELDS);
    referenceStats.set([logprob + spread(1), 0, 0, 0], row * STATS_FIELDS);
    kl[row] = rng.next();
    values[row * VALUE_FIELDS] = spread(2);
    tokens.set([row % 4 === 3 ? 0 : spread(2), logprob - away, 1 / rows, spread(2)], row * LOSS_TOKEN_FIELDS);
  }
  const loss = { ...settings, weights: zeros(0), advantages: zeros(0), behaviorLogprobs: zeros(0) };
  return { label, views: [stats, referenceStats, kl, values, tokens, zeros(rows * COEFFICIENT_FIELDS), zeros(rows * VALUE_FIELDS), zeros(LOSS_SUMS)], values: lossValues(loss, rows) };
}
