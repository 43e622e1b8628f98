import { assignCredit } from "#algorithms/credit/implementations.ts";
import { CREDIT_ASSIGNERS, type CreditConfig } from "#algorithms/credit/registry.ts";
import { scoreGroups } from "#algorithms/rewards/implementations.ts";
import { REWARD_SOURCES, type RewardConfig } from "#algorithms/rewards/registry.ts";
import type { Rng } from "#core/chance.ts";
import type { Credit, Scored, ScoredGroup } from "#core/credit.ts";
import type { CreditRow } from "#run/assessment.ts";

const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0);

/** [turns] of one trajectory; credit per token is summed over the tokens of the turn. */
export const turnCredits = ({ trajectory: { turns } }: Scored, credit: Credit): readonly number[] =>
  turns.map(({ sequence, start, end }, turn) =>
    "perTurn" in credit ? (credit.perTurn[turn] ?? 0) : sum((credit.perToken[sequence] ?? new Float32Array()).subarray(start, end)));

/** One group's row of a scheme. @param credits [G] */
export const creditRow = (config: CreditConfig, reward: RewardConfig["id"], { members }: ScoredGroup, credits: readonly Credit[]): CreditRow => ({
  id: config.id,
  config,
  reward,
  credits: members.map((member, index) => turnCredits(member, credits[index] ?? { perTurn: new Float32Array() })),
  summed: credits.some((credit) => "perToken" in credit),
});

/**
 * Schemes that need nothing beyond the rewards and compare within a group alone, hence are shown beside any other. Turns are compared
 * undiscounted, as truth is: a discount would charge GiGPO's row for every further turn.
 */
export const FREE_SCHEMES: readonly CreditConfig[] = [
  { id: "flat", ...CREDIT_ASSIGNERS.flat.defaults },
  { id: "process", ...CREDIT_ASSIGNERS.process.defaults },
  { id: "gigpo", ...CREDIT_ASSIGNERS.gigpo.defaults, gamma: 1 },
];

const SHAPED: RewardConfig = { id: "shaped", ...REWARD_SOURCES.shaped.defaults };

/** The same groups under the shaped rewards. */
async function shapedGroups(groups: readonly ScoredGroup[], rng: Rng): Promise<readonly ScoredGroup[]> {
  const rewards = await scoreGroups(groups, SHAPED, rng);
  return groups.map(({ groupId, members }, group) => ({ groupId, members: members.map((member, index) => ({ ...member, rewards: rewards[group]?.[index] ?? member.rewards })) }));
}

/** The rewards a scheme is shown under: process credit without any process reward would be flat credit once more. */
export async function rewardedFor(
  scheme: CreditConfig["id"], groups: readonly ScoredGroup[], reward: RewardConfig["id"], rng: Rng,
): Promise<{ readonly reward: RewardConfig["id"]; readonly groups: readonly ScoredGroup[] }> {
  return scheme === "process" && reward !== "shaped" ? { reward: "shaped", groups: await shapedGroups(groups, rng) } : { reward, groups };
}

/**
 * What the board shows of one group at once: the scheme trained with, as it was computed on the batch, then the free ones, which would be
 * the same on the batch.
 * @param credits [G] of the scheme trained with
 */
export async function boardRows(group: ScoredGroup, credits: readonly Credit[], trained: CreditConfig, reward: RewardConfig["id"], rng: Rng): Promise<readonly CreditRow[]> {
  const rows = [creditRow(trained, reward, group, credits)];
  for (const config of FREE_SCHEMES) {
    if (config.id === trained.id) continue;
    const rewarded = await rewardedFor(config.id, [group], reward, rng);
    rows.push(creditRow(config, rewarded.reward, group, assignCredit(rewarded.groups, config, rng)[0] ?? []));
  }
  return rows;
}
