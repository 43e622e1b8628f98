import type * as v from "valibot";
import type { CreditAssigner } from "#core/credit.ts";
import type { Entry } from "#algorithms/entry.ts";

export type CreditEntry<S extends Entry["schema"]> = Entry<S> & CreditAssigner<v.InferOutput<S>>;
export type AnyCreditEntry = Entry & CreditAssigner<unknown>;
