import { kindsOf } from "./language/tokens.ts";

/** One token put in place of another. */
export interface Mutation {
  readonly at: number;
  readonly token: string;
}

export const apply = (tokens: readonly string[], { at, token }: Mutation): readonly string[] => tokens.with(at, token);

/** What may be mistaken for what: swapped operators, off by one, negated conditions, wrong properties. */
const FAMILIES: readonly (readonly string[])[] = [
  ["+", "-", "*", "/", "%"], ["<", "<=", ">", ">=", "===", "!=="], ["&&", "||"], ["+=", "-=", "*="], ["++", "--"], ["true", "false"],
  ["push", "unshift", "includes"], ["map", "filter", "some", "every"], ["includes", "indexOf", "lastIndexOf", "startsWith", "endsWith"],
  ["max", "min", "abs", "floor"], ["price", "count"], ["age", "member"], ["slice", "concat"],
];
export const NUMBERS: readonly string[] = ["0", "1", "2", "3", "4", "5", "10", "18", "20"];
export const TEXTS: readonly string[] = ['""', '"a"', '"b"', '"c"'];

function replacements(token: string, kind: string, names: readonly string[]): readonly string[] {
  if (kind === "name") return names.filter((name) => name !== token);
  if (kind === "number") {
    const at = NUMBERS.indexOf(token);
    return [NUMBERS[at - 2], NUMBERS[at - 1], NUMBERS[at + 1], NUMBERS[at + 2]].filter((next) => next !== undefined);
  }
  if (kind === "text") return TEXTS.filter((text) => text !== token);
  return [...new Set(FAMILIES.flatMap((family) => (family.includes(token) ? family.filter((other) => other !== token) : [])))];
}

/** Every single-token mistake in a program, in order. Names are mistaken for others of the program, those that are declared stay. */
export function mutationsOf(tokens: readonly string[]): readonly Mutation[] {
  const kinds = kindsOf(tokens);
  const end = tokens.indexOf(")");
  const declared = (at: number): boolean => at <= end || ["let", "const"].includes(tokens[at - 1] ?? "") || tokens[at + 1] === "=>";
  const names = [...new Set(tokens.filter((_, index) => kinds[index] === "name" && tokens[index] !== "Math"))];
  return tokens.flatMap((token, at) => {
    const kind = kinds[at] ?? "fixed";
    if (kind === "fixed" || token === "Math" || (kind === "name" && declared(at))) return [];
    return replacements(token, kind, names).map((other) => ({ at, token: other }));
  });
}
