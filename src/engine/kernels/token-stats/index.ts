import { legalEntropy, legalLogNormaliser } from "#core/distribution.ts";
import { f32, ODD_SIZES, u32, value, zeros, type KernelDefinition } from "../../kernel.ts";
import { legality, LEGAL_CASE, legalLogits, STATS, STATS_FIELDS, targetRows } from "../legal.ts";
import wgsl from "./kernel.wgsl?raw";

/**
 * Per target row, over the legal tokens of its automaton state: log-probability of the target, entropy, log-normaliser (nats); the
 * fourth field is 0. logits[rows, stride], targets[rows] = (token, state), legal[state, words] bits.
 */
export const tokenStats: KernelDefinition = {
  name: "token-stats",
  bindings: [
    { name: "logits", kind: "f32", access: "read" },
    { name: "targets", kind: "u32", access: "read" },
    { name: "legal", kind: "u32", access: "read" },
    { name: "stats", kind: "f32", access: "write" },
  ],
  sizes: ["vocabulary", "stride", "words"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows"),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [logits, targets, legal, stats] = [f32(views, 0), u32(views, 1), u32(views, 2), f32(views, 3)];
    const [rows, vocabulary, stride, words] = [value(values, "rows"), value(values, "vocabulary"), value(values, "stride"), value(values, "words")];
    for (let row = 0; row < rows; row += 1) {
      const isLegal = legality(legal, words, targets[row * 2 + 1] ?? 0);
      const normaliser = legalLogNormaliser(logits, row * stride, vocabulary, isLegal);
      const at = row * STATS_FIELDS;
      stats[at + STATS.LOGPROB] = (logits[row * stride + (targets[row * 2] ?? 0)] ?? 0) - normaliser;
      stats[at + STATS.ENTROPY] = legalEntropy(logits, row * stride, vocabulary, isLegal, normaliser);
      stats[at + STATS.NORMALISER] = normaliser;
      stats[at + 3] = 0;
    }
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => ({
      label: `${rows} rows`,
      views: [legalLogits(rng, rows), targetRows(rng, rows), LEGAL_CASE.legal, zeros(rows * STATS_FIELDS)],
      values: { rows, vocabulary: LEGAL_CASE.vocabulary, stride: LEGAL_CASE.stride, words: LEGAL_CASE.words },
    })),
};
