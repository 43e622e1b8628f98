import type { TurnRewards } from "#core/credit.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { processReturns, processSchema } from "./process.ts";
import { creditGroups, perTurn } from "./scorable.ts";

/**
 * Turn rewards as differences of a potential, Φ = what the turns so far were paid: gamma·Φ(after) - Φ(before), Φ = 0 before the first
 * turn and once the episode is over, whatever ended it, so that no policy's expected return changes. The terminal reward is paid as it is.
 * @returns [turns]
 * Source: Ng, Harada and Russell (1999), theorem 1; algorithms.md, section 7.
 */
export function potentialRewards({ perTurn: paid, terminal }: TurnRewards, gamma: number): number[] {
  let before = 0;
  return Array.from(paid, (reward, turn) => {
    const last = turn === paid.length - 1;
    const after = last ? 0 : before + reward;
    const difference = gamma * after - before + (last ? terminal : 0);
    before = after;
    return difference;
  });
}

/** Process credit for progress instead of for actions: a turn is credited with what came of it beyond the progress made before it. */
export const potential: CreditEntry<typeof processSchema> = {
  id: "potential",
  title: "Potential-based process reward",
  needs: [],
  schema: processSchema,
  defaults: { gamma: 1, centring: "perTurnIndex", std: "population", eps: 1e-4 },
};

export const assign: Assign<typeof processSchema> = (groups, config) =>
  creditGroups(groups, (members) => processReturns(members.map(({ rewards }) => potentialRewards(rewards, config.gamma)), config).advantages.map(perTurn));
