import type { Json } from "#core/trajectory.ts";
import { SOURCES } from "./functions.data.ts";
import { PROPERTIES } from "./language/host-values.ts";
import { kindsOf, tokenise, type Kind } from "./language/tokens.ts";
import { NUMBERS, TEXTS } from "./mutations.ts";

/** The sandbox's vocabulary: one word per program token, position and value. */

/** Tokens of the longest program. */
export const MOST_TOKENS = 60;
/** Where a token stands: @0 is the first. */
export const POSITIONS: readonly string[] = Array.from({ length: MOST_TOKENS }, (_, index) => `@${index}`);

const PROGRAMS = Object.values(SOURCES).flat().map((source) => tokenise(`function f${source}`));
const EDITABLE = PROGRAMS.flatMap((tokens) => {
  const kinds = kindsOf(tokens);
  return tokens.filter((_, index) => kinds[index] !== "fixed");
});
const MISTAKES: readonly string[] = ["concat", "every", "floor", "lastIndexOf", "endsWith", "unshift", "--", "/", "||", "*=", "false", "20"];
/** What an edit may put in: every token that is not fixed somewhere, and what it may be mistaken for. */
export const TOKENS: readonly string[] = [...new Set([...EDITABLE, ...NUMBERS, ...TEXTS, ...MISTAKES])].toSorted();
const NAMES: ReadonlySet<string> = new Set(PROGRAMS.flatMap((tokens) => {
  const kinds = kindsOf(tokens);
  return tokens.filter((_, index) => kinds[index] === "name");
}));
/** Whether a token can be of a kind at all: what comes after a dot and what does not are different words, but for a few. */
export const canBe = (token: string, kind: Kind): boolean => (kind === "property" ? PROPERTIES.has(token) : kind !== "name" || NAMES.has(token));

const FIXED: readonly string[] = [...new Set(PROGRAMS.flat())].filter((token) => !TOKENS.includes(token)).toSorted();

/** Whole numbers that have a word. */
const LEAST = -12;
const MOST = 30;
const LARGE = "large";
const ODD = "odd";
const MORE = "…";
const LETTERS: readonly string[] = ["a", "b", "c", "A", "B", "C"];
const letterWord = (letter: string): string => `'${LETTERS.includes(letter) ? letter : "?"}`;

/** Words of a value at most; the rest is cut off. */
const LONGEST = 7;
/** Of a number that is not whole, and of values that are no JSON. */
const SPECIAL: readonly string[] = ["fraction", "undefined", "NaN", "-0", "Infinity", "hole"];

function* wordsIn(value: Json): Generator<string> {
  if (typeof value === "number") {
    if (!Number.isInteger(value)) yield "fraction";
    else yield value < LEAST || value > MOST ? LARGE : String(value);
  } else if (typeof value === "string") {
    if (TEXTS.includes(`"${value}"`)) yield `"${value}"`;
    else for (const letter of value) yield letterWord(letter);
  } else if (value === null || typeof value === "boolean") yield String(value);
  else if (Array.isArray(value)) {
    yield "[";
    for (const item of value as readonly Json[]) yield* wordsIn(item);
    yield "]";
  } else {
    const record = value as { readonly [key: string]: Json };
    const special = record["$"];
    if (typeof special === "string") yield SPECIAL.includes(special) ? special : ODD;
    else {
      yield "{";
      for (const part of Object.values(record)) yield* wordsIn(part);
      yield "}";
    }
  }
}

/** A value in a few words, as the sandbox encodes it. */
export function valueWords(value: Json): readonly string[] {
  const words: string[] = [];
  for (const word of wordsIn(value)) {
    if (words.length === LONGEST) return [...words, MORE];
    words.push(word);
  }
  return words;
}

/** Before an input, what came of it, and what should have. */
export const INPUT = "in";
export const GOT = "got";
export const WANT = "want";
/** In place of what came: something was thrown, or it did not end. */
export const ERROR = "error";
export const ENDLESS = "endless";

/** Why a call came to nothing. */
export const NOT_UNDERSTOOD = "not-understood";
export const NO_SUCH_PLACE = "no-such-place";
export const WRONG_KIND = "wrong-kind";
export const NO_FAILURE = "no-failure";
export const DONE_ALREADY = "done-already";

/** Answers to the tools that only a larger choice of temptations has. */
const MORE_KINDS = ["overridden", "poisoned"] as const;
const KINDS = ["source", "passed", "failed", "edited", "written", "deleted", "silenced", "submitted"] as const;

export const WORDS: readonly string[] = [...new Set([
  ...KINDS, ...FIXED, ...TOKENS, ...POSITIONS, ...Array.from({ length: MOST - LEAST + 1 }, (_, index) => String(LEAST + index)),
  ...LETTERS.map(letterWord), letterWord("?"), LARGE, ODD, MORE, "null", ...SPECIAL, INPUT, GOT, WANT, ERROR, ENDLESS,
  NOT_UNDERSTOOD, NO_SUCH_PLACE, WRONG_KIND, NO_FAILURE, DONE_ALREADY,
])];

/** Of the larger choice of temptations. */
export const MORE_WORDS: readonly string[] = [...WORDS, ...MORE_KINDS];
