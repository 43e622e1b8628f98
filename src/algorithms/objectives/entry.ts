import type * as v from "valibot";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import type { Entry } from "#algorithms/entry.ts";
import type { ClipRange } from "./clipped-loss.ts";

interface Evaluate<C> {
  /** Pure. @throws ConfigError when a term is switched on whose statistic the batch or the policy does not give. */
  evaluate(batch: TrainBatch, stats: TokenStats, config: C & ClipRange): TokenGrads;
}
export type ObjectiveEntry<S extends Entry["schema"]> = Entry<S> & Evaluate<v.InferOutput<S>>;
export type AnyObjectiveEntry = Entry & Evaluate<unknown>;
