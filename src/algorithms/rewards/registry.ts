import type { Rng } from "#core/chance.ts";
import type { JudgedGroup, TurnRewards } from "#core/credit.ts";
import type { Maybe } from "#core/environment.ts";
import type { ChoiceOf } from "#algorithms/entry.ts";
import { coinFlip } from "./coin-flip.ts";
import type { AnyRewardEntry } from "./entry.ts";
import { noisyJudge } from "./noisy-judge.ts";
import { shaped } from "./shaped.ts";
import { verifiable } from "./verifiable.ts";

/** In the order of trust. */
export const REWARD_SOURCES = { verifiable, shaped, "noisy-judge": noisyJudge, "coin-flip": coinFlip } as const satisfies Record<string, AnyRewardEntry>;

export type RewardConfig = ChoiceOf<typeof REWARD_SOURCES>;

/** [groups][G] by the source the configuration names. */
export function scoreGroups(groups: readonly JudgedGroup[], config: RewardConfig, rng: Rng): Maybe<readonly (readonly TurnRewards[])[]> {
  const source: AnyRewardEntry = REWARD_SOURCES[config.id];
  return source.score(groups, config, rng);
}
