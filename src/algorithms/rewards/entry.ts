import type * as v from "valibot";
import type { RewardSource, Trust } from "#core/credit.ts";
import type { Entry } from "#algorithms/entry.ts";

interface Standing {
  readonly trust: Trust;
  /** Beside the verdicts and what the turns did. */
  readonly needs: readonly "modelScores"[];
}
export type RewardEntry<S extends Entry["schema"]> = Entry<S> & Standing;
export type AnyRewardEntry = Entry & Standing;

export type Score<S extends Entry["schema"]> = RewardSource<v.InferOutput<S>>;
/** Of a source told apart at run time, called with its own settings; being a method's, its type does not ask for them. */
export type AnyScore = { call(...parameters: Parameters<RewardSource<unknown>>): ReturnType<RewardSource<unknown>> }["call"];
