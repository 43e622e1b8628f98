import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import type { ChoiceOf } from "#algorithms/entry.ts";
import { cispo } from "./cispo.ts";
import type { ClipRange } from "./clipped-loss.ts";
import { clipped } from "./clipped.ts";
import { dpo } from "./dpo.ts";
import type { AnyObjectiveEntry } from "./entry.ts";
import { gspo } from "./gspo.ts";
import { raft } from "./raft.ts";
import { reinforce } from "./reinforce.ts";

export const OBJECTIVES = { clipped, gspo, cispo, reinforce, dpo, raft } as const satisfies Record<string, AnyObjectiveEntry>;

export type ObjectiveConfig = ChoiceOf<typeof OBJECTIVES>;

/** The clip range belongs to the algorithm, so that it survives a change of objective; it joins the objective's own settings here. */
export function evaluateObjective(
  { objective, clipLow, clipHigh }: ClipRange & { readonly objective: ObjectiveConfig }, batch: TrainBatch, stats: TokenStats,
): TokenGrads {
  const entry: AnyObjectiveEntry = OBJECTIVES[objective.id];
  return entry.evaluate(batch, stats, { ...objective, clipLow, clipHigh });
}
