import { isConstant, mean, populationStd, sampleStd } from "#core/statistics.ts";
import type { TurnSelection } from "#store/view-store.ts";
import type { WholeGroup } from "#store/whole-group.ts";
import type { ComparedPeer } from "./derivation.ts";

type Std = "population" | "sample" | "none";

/** Mean, deviation and the centred value of one number among others, as `groupAdvantage` takes them. */
export interface Centred {
  readonly mean: number;
  /** 0 where it is not divided by. */
  readonly deviation: number;
  readonly result: number;
  /** All equal, or alone: nothing to compare, and 0 by definition. */
  readonly isIdle: boolean;
}

export function centred(value: number, among: readonly number[], std: Std, eps: number): Centred {
  const middle = mean(among);
  const deviation = std === "none" || among.length < 2 ? 0 : std === "population" ? populationStd(among) : sampleStd(among);
  if (isConstant(among)) return { mean: middle, deviation, result: 0, isIdle: true };
  return { mean: middle, deviation, result: (value - middle) / (std === "none" ? 1 : deviation + eps), isIdle: false };
}

/** What each trajectory of the whole group was paid in all; failed ones have none. Null where a link does not say. */
export const paidInAll = ({ places, rewards }: WholeGroup, at: TurnSelection): readonly ComparedPeer[] | null =>
  rewards?.flatMap((value, member) => (value === null ? [] : [{ member, turn: null, value, isSelf: member === places[at.member] }])) ?? null;

/** What the trajectory itself was paid, among the same. */
export const ownReward = (paid: readonly ComparedPeer[]): number => paid.find(({ isSelf }) => isSelf)?.value ?? 0;

/** Why numbers that a scheme rests on are missing. @param what in the plural */
export const notThere = (what: string, { isLinked }: WholeGroup): string => (isLinked ? `${what} did not come with the link.` : `${what} come with the assessment.`);

/** Why a formula stands without numbers: it compares with what did not come with the link. */
export const needsAll = ({ size, places }: WholeGroup): string => `Its numbers need all ${size} trajectories of the group; ${places.length} travel with the link.`;
