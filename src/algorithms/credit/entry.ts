import type * as v from "valibot";
import type { CreditAssigner, Needs } from "#core/credit.ts";
import type { Entry } from "#algorithms/entry.ts";

/** `assign` throws ConfigError when something it needs was not handed over. */
interface Scheme<C> extends CreditAssigner<C> {
  /** What some settings need beside `needs`. */
  alsoNeeds?(config: C): readonly Needs[];
}
export type CreditEntry<S extends Entry["schema"]> = Entry<S> & Scheme<v.InferOutput<S>>;
export type AnyCreditEntry = Entry & Scheme<unknown>;
