import type * as v from "valibot";
import type { Objective, TokenLoss, TokenSums, TrainBatch } from "#core/objective.ts";
import type { Entry } from "#algorithms/entry.ts";
import type { ClipRange } from "./clipped-loss.ts";
import type { TermConfig } from "./terms.ts";

/** `reference`: statistics under the policy the run started from; `valueHead`: values of a second output; `demonstrations`: batches of these. */
export type ObjectiveNeed = "reference" | "valueHead" | "demonstrations";

interface Demands<C> {
  /** Under these settings. */
  needs(config: C): readonly ObjectiveNeed[];
}
export type ObjectiveEntry<S extends Entry["schema"]> = Entry<S> & Demands<v.InferOutput<S>>;
/** Every objective takes the terms, so that they survive a change of objective. */
export type AnyObjectiveEntry = Entry & { readonly defaults: TermConfig } & Demands<unknown>;

/** Throws ConfigError when a term is switched on whose statistic the batch or the policy does not give. */
export type Evaluate<S extends Entry["schema"]> = Objective<v.InferOutput<S> & ClipRange>;
/** Of an objective told apart at run time, called with its own settings; being a method's, its type does not ask for them. */
export type AnyEvaluate = { call(...parameters: Parameters<Objective<unknown>>): ReturnType<Objective<unknown>> }["call"];

/** An objective told before the forward pass, so that an engine that is far away computes it by itself. */
export interface DeviceForm {
  readonly loss: TokenLoss;
  /** What `evaluate` reports, of what the loss came to. */
  metrics(sums: TokenSums): Readonly<Record<string, number>>;
}
/** Pure; undefined where `evaluate` has to be asked. */
export type OnDevice<S extends Entry["schema"]> = (batch: TrainBatch, config: v.InferOutput<S> & ClipRange) => DeviceForm | undefined;
/** Called as `AnyEvaluate` is. */
export type AnyOnDevice = { call(batch: TrainBatch, config: unknown): DeviceForm | undefined }["call"];
