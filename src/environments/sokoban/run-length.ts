import { TaskError } from "#core/errors.ts";

const DIGIT = /\d/;

/**
 * Writes out runs: a number before a character repeats it ("3#"), before parentheses all between them ("2(lU)"); they may be nested.
 * @param longest most characters of the result, looked at before anything is repeated.
 * @throws TaskError for parentheses without a partner, a number without anything behind it, or a longer result.
 */
export function expandRuns(text: string, longest: number): string {
  const open: { readonly before: string; readonly count: number }[] = [];
  let written = "";
  let digits = "";
  const count = (): number => {
    const times = digits === "" ? 1 : Number(digits);
    digits = "";
    return times;
  };
  const repeat = (part: string, times: number): string => {
    if (part.length * times > longest) throw new TaskError(`a run of ${times} makes more than the ${longest} characters that are allowed`, { longest });
    return part.repeat(times);
  };
  for (const character of text) {
    if (DIGIT.test(character)) digits += character;
    else if (character === "(") {
      open.push({ before: written, count: count() });
      written = "";
    } else if (character === ")") {
      const group = open.pop();
      if (group === undefined) throw new TaskError('")" has no "(" before it');
      if (digits !== "") throw new TaskError(`the number ${digits} stands before ")", so it repeats nothing`);
      written = group.before + repeat(written, group.count);
    } else written += repeat(character, count());
    if (written.length > longest) throw new TaskError(`allowed are at most ${longest} characters, got more`, { longest });
  }
  if (open.length > 0) throw new TaskError('"(" has no ")" behind it');
  if (digits !== "") throw new TaskError(`the number ${digits} stands at the end, so it repeats nothing`);
  return written;
}

/** Equal characters as a number and one of them, where that is shorter: what `expandRuns` writes out. The text must hold no digits. */
export const writeRuns = (text: string): string => text.replaceAll(/(.)\1{2,}/gs, (run) => `${run.length}${run.charAt(0)}`);
