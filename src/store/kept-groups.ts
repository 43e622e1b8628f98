import type { GroupEntry } from "./run-state.ts";

/** Most groups kept, for scrubbing back: all of a run that is not long. */
export const GROUP_LIMIT = 300;

/**
 * One more group. When there are too many, the one goes whose neighbours would be nearest for its age: the newest are kept in full,
 * older ones ever sparser, always the first.
 */
export function withGroup(groups: readonly GroupEntry[], entry: GroupEntry): readonly GroupEntry[] {
  const all = [...groups, entry];
  if (all.length <= GROUP_LIMIT) return all;
  let [least, at] = [Number.POSITIVE_INFINITY, 1];
  for (let index = 1; index < all.length - 1; index += 1) {
    const [before, here, after] = [all[index - 1], all[index], all[index + 1]];
    if (before === undefined || here === undefined || after === undefined) continue;
    const gap = (after.update - before.update) / (entry.update - here.update + GROUP_LIMIT / 2);
    if (gap < least) [least, at] = [gap, index];
  }
  return all.toSpliced(at, 1);
}
