import { TaskError } from "#core/errors.ts";
import type { Level } from "#environments/sokoban/board.ts";
import { readLevel } from "#environments/sokoban/level-reader.ts";
import { writeLevel } from "#environments/sokoban/plays.ts";

/** No longer link is read; escaped, the largest published levels have some 3,000 characters. */
const LONGEST = 8000;

/** `#/level/` and the level, one row after the other, runs shortened. */
export const levelLink = (level: Level): string => `#/level/${encodeURIComponent(writeLevel(level))}`;

/** The level in an address; null where there is none. @throws TaskError with the reason and the row for what is no level */
export function levelOfLink(fragment: string): Level | null {
  const escaped = fragment.replace(/^#?\/?level\/?/, "");
  if (escaped === "") return null;
  if (escaped.length > LONGEST) throw new TaskError(`the link has ${escaped.length} characters; allowed are up to ${LONGEST}`);
  let text: string;
  try {
    text = decodeURIComponent(escaped);
  } catch {
    throw new TaskError("the link has a broken escape: it may have been cut off");
  }
  // Rows are counted as lines, but for runs that go over several.
  return readLevel(text.includes("(") ? [text] : text.split("|"));
}
