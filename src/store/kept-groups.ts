import { leastMissed } from "#core/thinning.ts";
import type { GroupEntry } from "./run-state.ts";

/** Most groups kept, for scrubbing back: all of a run that is not long. */
export const GROUP_LIMIT = 300;

/** One more group. When there are too many, one goes: the newest are kept in full, older ones ever sparser, always the first. */
export function withGroup(groups: readonly GroupEntry[], entry: GroupEntry): readonly GroupEntry[] {
  const all = [...groups, entry];
  return all.length <= GROUP_LIMIT ? all : all.toSpliced(leastMissed(all.map(({ update }) => update), GROUP_LIMIT / 2), 1);
}
