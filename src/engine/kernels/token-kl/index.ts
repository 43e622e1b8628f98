import { legalKl } from "#core/distribution.ts";
import { f32, ODD_SIZES, u32, value, zeros, type KernelDefinition } from "../../kernel.ts";
import { legality, LEGAL_CASE, legalLogits, STATS, STATS_FIELDS, targetRows } from "../legal.ts";
import { tokenStats } from "../token-stats/index.ts";
import wgsl from "./kernel.wgsl?raw";

/** Exact KL(current ‖ reference) per target row over its legal tokens, nats: kl[rows]. Stats are those of `token-stats` on each. */
export const tokenKl: KernelDefinition = {
  name: "token-kl",
  bindings: [
    { name: "logits", kind: "f32", access: "read" },
    { name: "referenceLogits", kind: "f32", access: "read" },
    { name: "targets", kind: "u32", access: "read" },
    { name: "legal", kind: "u32", access: "read" },
    { name: "stats", kind: "f32", access: "read" },
    { name: "referenceStats", kind: "f32", access: "read" },
    { name: "kl", kind: "f32", access: "write" },
  ],
  sizes: ["vocabulary", "stride", "words"],
  params: [{ name: "rows", kind: "u32" }],
  threads: (values) => value(values, "rows"),
  workgroupSize: 64,
  wgsl,
  tolerance: 2e-5,
  reference(views, values) {
    const [logits, reference, targets, legal] = [f32(views, 0), f32(views, 1), u32(views, 2), u32(views, 3)];
    const [stats, referenceStats, kl] = [f32(views, 4), f32(views, 5), f32(views, 6)];
    const [rows, vocabulary, stride, words] = [value(values, "rows"), value(values, "vocabulary"), value(values, "stride"), value(values, "words")];
    for (let row = 0; row < rows; row += 1)
      kl[row] = legalKl(
        logits, reference, row * stride, vocabulary, legality(legal, words, targets[row * 2 + 1] ?? 0),
        stats[row * STATS_FIELDS + STATS.NORMALISER] ?? 0, referenceStats[row * STATS_FIELDS + STATS.NORMALISER] ?? 0,
      );
  },
  cases: (rng) =>
    ODD_SIZES.map((rows) => {
      const values = { rows, vocabulary: LEGAL_CASE.vocabulary, stride: LEGAL_CASE.stride, words: LEGAL_CASE.words };
      const [logits, reference, targets] = [legalLogits(rng, rows), legalLogits(rng, rows), targetRows(rng, rows)];
      const [stats, referenceStats] = [zeros(rows * STATS_FIELDS), zeros(rows * STATS_FIELDS)];
      tokenStats.reference([logits, targets, LEGAL_CASE.legal, stats], values);
      tokenStats.reference([reference, targets, LEGAL_CASE.legal, referenceStats], values);
      return { label: `${rows} rows`, views: [logits, reference, targets, LEGAL_CASE.legal, stats, referenceStats, zeros(rows)], values };
    }),
};
