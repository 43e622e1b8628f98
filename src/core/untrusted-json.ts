import { TaskError } from "./errors.ts";
import type { Json } from "./trajectory.ts";

const MAX_DEPTH = 32;
/** Keys that reach an object's prototype: no record of ours has them, and libraries drop them silently. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export interface JsonSource {
  /** How messages call it, for example its file name. */
  readonly name: string;
  /** In UTF-16 code units. */
  readonly maxLength: number;
}

/** Text of a stranger for a message: short, on one line, without control characters. */
export function quoted(text: string, maxLength = 80): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return JSON.stringify(cut).replaceAll(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "�");
}

/**
 * Parses JSON that a stranger wrote.
 * @throws TaskError with the source's name when it is too long, not JSON, nested deeper than 32, or holds a key that reaches a
 * prototype or a number that is not exact as a double (beyond ±(2^53 − 1)).
 */
export function readUntrustedJson(text: string, { name, maxLength }: JsonSource): Json {
  if (text.length > maxLength) throw new TaskError(`${name} has ${text.length} characters; at most ${maxLength} are read`);
  let value: Json;
  try {
    value = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TaskError(`${name} is not JSON: ${quoted(reason, 160).slice(1, -1).replaceAll('\\"', '"')}`);
  }
  checkContents(value, name);
  return value;
}

/** Without recursion: the nesting is not yet known to be bounded. */
function checkContents(root: Json, name: string): void {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      throw new TaskError(`${name} holds a number beyond ±${Number.MAX_SAFE_INTEGER}, which is not exact`);
    }
    if (typeof value !== "object" || value === null) continue;
    if (depth === MAX_DEPTH) throw new TaskError(`${name} is nested deeper than ${MAX_DEPTH}`);
    for (const [key, inner] of Object.entries(value)) {
      if (FORBIDDEN_KEYS.has(key)) throw new TaskError(`${name} has the key ${quoted(key)}, which is not allowed`);
      open.push({ value: inner, depth: depth + 1 });
    }
  }
}
