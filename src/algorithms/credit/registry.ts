import type { Rng } from "#core/chance.ts";
import type { Credit, ScoredGroup } from "#core/credit.ts";
import type { ChoiceOf } from "#algorithms/entry.ts";
import type { AnyCreditEntry } from "./entry.ts";
import { flat } from "./flat.ts";
import { leaveOneOut } from "./leave-one-out.ts";

export const CREDIT_ASSIGNERS = { flat, "leave-one-out": leaveOneOut } as const satisfies Record<string, AnyCreditEntry>;

export type CreditConfig = ChoiceOf<typeof CREDIT_ASSIGNERS>;

/** [groups][G] by the scheme the configuration names. */
export function assignCredit(groups: readonly ScoredGroup[], config: CreditConfig, rng: Rng): readonly (readonly Credit[])[] {
  const scheme: AnyCreditEntry = CREDIT_ASSIGNERS[config.id];
  return scheme.assign(groups, config, rng);
}
