import { logitGradient } from "#core/distribution.ts";
import { f32, ODD_SIZES, randomFloats, u32, value, zeros, type KernelDefinition } from "../../kernel.ts";
import { COEFFICIENT, COEFFICIENT_FIELDS, legality, LEGAL_CASE, legalLogits, STATS, STATS_FIELDS, targetRows } from "../legal.ts";
import { tokenKl } from "../token-kl/index.ts";
import { tokenStats } from "../token-stats/index.ts";
import wgsl from "./kernel.wgsl?raw";

/**
 * Logit gradients from the objective's per-token gradients, over the legal tokens (0 elsewhere and in the padding):
 * dLogprob·(onehot − p) + dEntropy·(−p·(log p + H)) + dKl·p·((log p − log pRef) − kl).
 * coefficients[rows] = (dLogprob, dEntropy, dKl, kl). No kernel knows the name of an algorithm.
 */
export const tokenGradient: KernelDefinition = {
  name: "token-gradient",
  bindings: [
    { name: "logits", kind: "f32", access: "read" },
    { name: "referenceLogits", kind: "f32", access: "read" },
    { name: "targets", kind: "u32", access: "read" },
    { name: "legal", kind: "u32", access: "read" },
    { name: "stats", kind: "f32", access: "read" },
    { name: "referenceStats", kind: "f32", access: "read" },
    { name: "coefficients", kind: "f32", access: "read" },
    { name: "dLogits", kind: "f32", access: "write" },
  ],
  sizes: ["vocabulary", "stride", "words"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows"),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [logits, reference, targets, legal] = [f32(views, 0), f32(views, 1), u32(views, 2), u32(views, 3)];
    const [stats, referenceStats, coefficients, dLogits] = [f32(views, 4), f32(views, 5), f32(views, 6), f32(views, 7)];
    const [rows, vocabulary, stride, words] = [value(values, "rows"), value(values, "vocabulary"), value(values, "stride"), value(values, "words")];
    for (let row = 0; row < rows; row += 1) {
      const isLegal = legality(legal, words, targets[row * 2 + 1] ?? 0);
      const coefficient = (field: number): number => coefficients[row * COEFFICIENT_FIELDS + field] ?? 0;
      const slopes = {
        dLogprob: coefficient(COEFFICIENT.LOGPROB),
        entropy: stats[row * STATS_FIELDS + STATS.ENTROPY] ?? 0,
        dEntropy: coefficient(COEFFICIENT.ENTROPY),
        kl: coefficient(COEFFICIENT.KL_VALUE),
        dKl: coefficient(COEFFICIENT.KL),
      };
      const normaliser = stats[row * STATS_FIELDS + STATS.NORMALISER] ?? 0;
      const referenceNormaliser = referenceStats[row * STATS_FIELDS + STATS.NORMALISER] ?? 0;
      for (let token = 0; token < stride; token += 1) {
        const at = row * stride + token;
        const chosen = token === targets[row * 2] ? 1 : 0;
        dLogits[at] =
          token < vocabulary && isLegal(token)
            ? logitGradient((logits[at] ?? 0) - normaliser, chosen, (reference[at] ?? 0) - referenceNormaliser, slopes)
            : 0;
      }
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => {
      const values = { rows, vocabulary: LEGAL_CASE.vocabulary, stride: LEGAL_CASE.stride, words: LEGAL_CASE.words };
      const [logits, reference, targets, legal] = [legalLogits(rng, rows), legalLogits(rng, rows), targetRows(rng, rows), LEGAL_CASE.legal];
      const [stats, referenceStats, kl] = [zeros(rows * STATS_FIELDS), zeros(rows * STATS_FIELDS), zeros(rows)];
      tokenStats.reference([logits, targets, legal, stats], values);
      tokenStats.reference([reference, targets, legal, referenceStats], values);
      tokenKl.reference([logits, reference, targets, legal, stats, referenceStats, kl], values);
      const coefficients = randomFloats(rng, rows * COEFFICIENT_FIELDS);
      for (let row = 0; row < rows; row += 1) coefficients[row * COEFFICIENT_FIELDS + COEFFICIENT.KL_VALUE] = kl[row] ?? 0;
      return {
        label: `${rows} rows`,
        views: [logits, reference, targets, legal, stats, referenceStats, coefficients, zeros(rows * LEGAL_CASE.stride)],
        values,
      };
    }),
};
