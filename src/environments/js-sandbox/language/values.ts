import type { Json } from "#core/trajectory.ts";

/** As deep as the sandbox's encoder goes. */
const DEEPEST = 100;

class TooDeep extends Error {}

function encode(value: unknown, depth: number): Json {
  if (depth > DEEPEST) throw new TooDeep();
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Object.is(value, -0) ? { $: "-0" } : Number.isFinite(value) ? value : { $: String(value) };
  if (typeof value !== "object") return { $: typeof value };
  if (value === Math) return { $: "instance" };
  if (Array.isArray(value)) return Array.from(value, (item: unknown, index) => (index in value ? encode(item, depth + 1) : { $: "hole" }));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, encode(part, depth + 1)]));
}

/** What the sandbox would answer for a value of the language; undefined where it would refuse to encode it. */
export function encoded(value: unknown): Json | undefined {
  try {
    return encode(value, 0);
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

/** A fresh copy of JSON-like arguments, for a program to do with as it likes. */
export function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copied) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copied(part as unknown)])) as T;
}
