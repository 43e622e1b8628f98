import type { GroupEntry } from "./run-state.ts";

/** The group that credit was paid within. Of one from a link the board may have only some. */
export interface WholeGroup {
  readonly size: number;
  /** [members shown] their places in it. */
  readonly places: readonly number[];
  /** [size] null for a failed rollout; null where not all of them are known. */
  readonly rewards: readonly (number | null)[] | null;
  readonly isLinked: boolean;
}

export function wholeGroup({ group: { members }, linked }: Pick<GroupEntry, "group" | "linked">): WholeGroup {
  const size = linked?.rewards?.length ?? linked?.config.algorithm.groupSize ?? members.length;
  const own = members.map(({ ending, reward }) => (ending === "failed" ? null : reward));
  return { size, places: linked?.members ?? members.map((_, index) => index), rewards: linked?.rewards ?? (members.length === size ? own : null), isLinked: linked !== undefined };
}

/** Whether all of it that counts is there to be compared with, turn by turn. */
export const isWhole = ({ size, places, rewards }: WholeGroup): boolean =>
  rewards === null ? places.length === size : rewards.every((reward, place) => reward === null || places.includes(place));
