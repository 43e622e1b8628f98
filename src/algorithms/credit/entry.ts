import type * as v from "valibot";
import type { CreditAssigner, Needs } from "#core/credit.ts";
import type { Entry } from "#algorithms/entry.ts";

interface Demands<C> {
  /** Beside the rewards. */
  readonly needs: readonly Needs[];
  /** What some settings need beside `needs`. */
  alsoNeeds?(config: C): readonly Needs[];
}
export type CreditEntry<S extends Entry["schema"]> = Entry<S> & Demands<v.InferOutput<S>>;
export type AnyCreditEntry = Entry & Demands<unknown>;

/** Throws ConfigError when something the scheme needs was not handed over. */
export type Assign<S extends Entry["schema"]> = CreditAssigner<v.InferOutput<S>>;
/** Of a scheme told apart at run time, called with its own settings; being a method's, its type does not ask for them. */
export type AnyAssign = { call(...parameters: Parameters<CreditAssigner<unknown>>): ReturnType<CreditAssigner<unknown>> }["call"];
