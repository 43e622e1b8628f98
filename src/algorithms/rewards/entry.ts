import type * as v from "valibot";
import type { RewardSource } from "#core/credit.ts";
import type { Entry } from "#algorithms/entry.ts";

export type RewardEntry<S extends Entry["schema"]> = Entry<S> & RewardSource<v.InferOutput<S>>;
export type AnyRewardEntry = Entry & RewardSource<unknown>;
