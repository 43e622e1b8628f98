import type { Json } from "#core/trajectory.ts";
import { quoted } from "#core/untrusted-json.ts";
import { isList, isRecord } from "./python.ts";

/** Sums of prices carry dust of this size; no price differs by so little. */
const TOLERANCE = 1e-9;

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);
const shown = (value: Json | undefined): string => (value === undefined ? "nothing" : quoted(JSON.stringify(value)).slice(1, -1).replaceAll('\\"', '"'));

/**
 * The first place where two values differ, in words; null when they are equal. Numbers are equal within 1e-9, however they were
 * written (70 and 70.0), and the order of keys does not matter; the order of lists does.
 */
export function difference(got: Json | undefined, expected: Json | undefined, path = ""): string | null {
  if (typeof got === "number" && typeof expected === "number" && Math.abs(got - expected) <= TOLERANCE) return null;
  if (isList(got) && isList(expected)) {
    if (got.length !== expected.length) return `${path === "" ? "list" : path}: got ${got.length} entries, expected ${expected.length}`;
    return firstOf(got.map((_, index) => index), (index) => difference(got[index], expected[index], join(path, String(index))));
  }
  if (isRecord(got) && isRecord(expected)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(got)]);
    const of = (record: typeof got, key: string): Json | undefined => (Object.hasOwn(record, key) ? record[key] : undefined);
    return firstOf([...keys], (key) => difference(of(got, key), of(expected, key), join(path, key)));
  }
  return got === expected ? null : `${path === "" ? "" : `${quoted(path).slice(1, -1)}: `}got ${shown(got)}, expected ${shown(expected)}`;
}

function firstOf<T>(things: readonly T[], look: (thing: T) => string | null): string | null {
  for (const thing of things) {
    const found = look(thing);
    if (found !== null) return found;
  }
  return null;
}
