import type { ChoiceOf } from "#algorithms/entry.ts";
import { callBonus } from "./call-bonus.ts";
import { coinFlip } from "./coin-flip.ts";
import type { AnyRewardEntry } from "./entry.ts";
import { eventTable } from "./event-table.ts";
import { implicit } from "./implicit.ts";
import { learned } from "./learned.ts";
import { noisyJudge } from "./noisy-judge.ts";
import { shaped } from "./shaped.ts";
import { verifiable } from "./verifiable.ts";

/**
 * In the order of trust. What settings, forms and links say of a source; what it does stands in `implementations.ts`: the page never
 * loads that.
 */
export const REWARD_SOURCES = { verifiable, shaped, "call-bonus": callBonus, "event-table": eventTable, learned, implicit, "noisy-judge": noisyJudge, "coin-flip": coinFlip } as const satisfies Record<string, AnyRewardEntry>;

export type RewardConfig = ChoiceOf<typeof REWARD_SOURCES>;
