import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import { evaluate as cispo } from "./cispo.ts";
import type { ClipRange } from "./clipped-loss.ts";
import { evaluate as clipped } from "./clipped.ts";
import { evaluate as dpo } from "./dpo.ts";
import type { AnyEvaluate, Evaluate } from "./entry.ts";
import { evaluate as gspo } from "./gspo.ts";
import { evaluate as raft } from "./raft.ts";
import type { ObjectiveConfig, OBJECTIVES } from "./registry.ts";
import { evaluate as reinforce } from "./reinforce.ts";
import { evaluate as sft } from "./sft.ts";

/** One to each entry of the registry. */
const EVALUATE = { clipped, gspo, cispo, reinforce, dpo, raft, sft } as const satisfies {
  readonly [K in keyof typeof OBJECTIVES]: Evaluate<(typeof OBJECTIVES)[K]["schema"]>;
};

/** The clip range belongs to the algorithm, so that it survives a change of objective; it joins the objective's own settings here. */
export function evaluateObjective(
  { objective, clipLow, clipHigh }: ClipRange & { readonly objective: ObjectiveConfig }, batch: TrainBatch, stats: TokenStats,
): TokenGrads {
  const evaluate: AnyEvaluate = EVALUATE[objective.id];
  return evaluate(batch, stats, { ...objective, clipLow, clipHigh });
}
