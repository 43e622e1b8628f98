import type * as v from "valibot";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import type { Entry } from "#algorithms/entry.ts";
import type { ClipRange } from "./clipped-loss.ts";
import type { TermConfig } from "./terms.ts";

/** `reference`: statistics under the policy the run started from; `valueHead`: values of a second output. */
export type ObjectiveNeed = "reference" | "valueHead";

interface Evaluate<C> {
  /** Under these settings. */
  needs(config: C): readonly ObjectiveNeed[];
  /** Pure. @throws ConfigError when a term is switched on whose statistic the batch or the policy does not give. */
  evaluate(batch: TrainBatch, stats: TokenStats, config: C & ClipRange): TokenGrads;
}
export type ObjectiveEntry<S extends Entry["schema"]> = Entry<S> & Evaluate<v.InferOutput<S>>;
/** Every objective takes the terms, so that they survive a change of objective. */
export type AnyObjectiveEntry = Entry & { readonly defaults: TermConfig } & Evaluate<unknown>;
