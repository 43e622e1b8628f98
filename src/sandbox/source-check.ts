import { DEEPEST_SOURCE, MOST_SOURCE } from "./limits.ts";

const OPENING = "([{";
const CLOSING = ")]}";
const PREFIX = "!~+-";

/**
 * Why a source is not given to the parser at all, or null. Counts characters whatever they mean: a text literal of many brackets is
 * refused as well.
 */
export function refusal(source: string): string | null {
  if (source.length > MOST_SOURCE) return `the source has ${source.length} characters; allowed are ${MOST_SOURCE}`;
  let depth = 0;
  let run = 0;
  for (const character of source) {
    if (OPENING.includes(character)) depth += 1;
    else if (CLOSING.includes(character)) depth = Math.max(0, depth - 1);
    if (PREFIX.includes(character)) run += 1;
    else if (character.trim() !== "") run = 0;
    if (depth > DEEPEST_SOURCE || run > DEEPEST_SOURCE) return `the source is nested deeper than ${DEEPEST_SOURCE}`;
  }
  return null;
}
