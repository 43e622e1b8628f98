import type { Rng } from "#core/chance.ts";
import type { JudgedGroup, TurnRewards } from "#core/credit.ts";
import type { Maybe } from "#core/environment.ts";
import { score as callBonus } from "./call-bonus.ts";
import { score as coinFlip } from "./coin-flip.ts";
import type { AnyScore, Score } from "./entry.ts";
import { score as eventTable } from "./event-table.ts";
import { score as implicit } from "./implicit.ts";
import { score as learned } from "./learned.ts";
import { score as noisyJudge } from "./noisy-judge.ts";
import type { REWARD_SOURCES, RewardConfig } from "./registry.ts";
import { score as shaped } from "./shaped.ts";
import { score as verifiable } from "./verifiable.ts";

/** One to each entry of the registry. */
const SCORE = { verifiable, shaped, "call-bonus": callBonus, "event-table": eventTable, learned, implicit, "noisy-judge": noisyJudge, "coin-flip": coinFlip } as const satisfies {
  readonly [K in keyof typeof REWARD_SOURCES]: Score<(typeof REWARD_SOURCES)[K]["schema"]>;
};

/** [groups][G] by the source the configuration names. */
export function scoreGroups(groups: readonly JudgedGroup[], config: RewardConfig, rng: Rng): Maybe<readonly (readonly TurnRewards[])[]> {
  const score: AnyScore = SCORE[config.id];
  return score(groups, config, rng);
}
