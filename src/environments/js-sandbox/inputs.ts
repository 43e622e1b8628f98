import type { Rng } from "#core/chance.ts";
import { choose, drawIndex } from "#core/rng.ts";
import type { Json } from "#core/trajectory.ts";

const LETTERS = ["a", "b", "c"] as const;

const between = (rng: Rng, least: number, most: number): number => least + drawIndex(rng, most - least + 1);
const list = <T>(rng: Rng, least: number, most: number, draw: () => T): readonly T[] => Array.from({ length: between(rng, least, most) }, draw);
const numbers = (rng: Rng): Json => list(rng, 0, 5, () => between(rng, -4, 8));
const word = (rng: Rng): string => list(rng, 0, 5, () => choose(rng, LETTERS)).join("");
const line = (rng: Rng): Json => ({ price: between(rng, 1, 9), count: between(rng, 0, 4) });
const person = (rng: Rng): Json => ({ age: between(rng, 15, 24), member: rng.next() < 0.5 });

/** What a parameter takes, by its name. */
const GENERATORS: Readonly<Record<string, (rng: Rng) => Json>> = {
  xs: numbers,
  ys: numbers,
  n: (rng) => between(rng, -6, 9),
  k: (rng) => between(rng, -3, 6),
  a: (rng) => between(rng, -4, 9),
  b: (rng) => between(rng, -4, 9),
  c: (rng) => between(rng, -4, 9),
  p: (rng) => between(rng, 0, 6),
  q: (rng) => between(rng, 1, 9),
  s: word,
  u: word,
  ws: (rng) => list(rng, 0, 4, () => word(rng)),
  r: line,
  rs: (rng) => list(rng, 1, 3, () => line(rng)),
  h: person,
  hs: (rng) => list(rng, 1, 4, () => person(rng)),
};

/** Arguments for a call. @throws RangeError for a parameter that is not known. */
const drawArguments = (rng: Rng, parameters: readonly string[]): readonly Json[] => parameters.map((name) => {
  const generate = GENERATORS[name];
  if (generate === undefined) throw new RangeError(`no inputs are known for a parameter ${name}`);
  return generate(rng);
});

/** Distinct lists of arguments, as many as asked for unless the function does not have so many. */
export function drawInputs(rng: Rng, parameters: readonly string[], count: number): readonly (readonly Json[])[] {
  const found = new Map<string, readonly Json[]>();
  for (let attempt = 0; attempt < 8 * count && found.size < count; attempt += 1) {
    const drawn = drawArguments(rng.fork(String(attempt)), parameters);
    found.set(JSON.stringify(drawn), drawn);
  }
  return [...found.values()];
}
