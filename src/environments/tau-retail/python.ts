import type { Json } from "#core/trajectory.ts";

/**
 * What Python does with JSON values. The tools of τ-bench are Python functions, and calls of the wrong shape come back as the text of
 * a Python exception, so replaying them means to fail as Python fails (3.10 and later word it this way).
 */

/** What a tool raised; the environment returns it as "Error: …". */
export class PythonError extends Error {
  override readonly name = "PythonError";
}

type JsonRecord = { readonly [key: string]: Json };
export const isRecord = (value: Json | undefined): value is JsonRecord => typeof value === "object" && value !== null && !Array.isArray(value);
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export function typeName(value: Json): string {
  if (value === null) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (typeof value === "string") return "str";
  return isList(value) ? "list" : "dict";
}

/** `repr` of a string: single quotes, unless it holds those and no double ones. */
function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t")
    .replaceAll(/[\p{Cc}\u00a0\u00ad]/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function repr(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : floatText(value);
  if (typeof value === "string") return quote(value);
  if (isList(value)) return `[${value.map(repr).join(", ")}]`;
  return `{${Object.entries(value).map(([key, inner]) => `${quote(key)}: ${repr(inner)}`).join(", ")}}`;
}

/** `str(value)`. */
export const text = (value: Json): string => (typeof value === "string" ? value : repr(value));

/** `repr` of a float: always with a point or an exponent, which starts at 1e16 and below 1e-4 and has at least two digits. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= 16 || power < -4) return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  const plain = power < 0 ? value.toFixed(Math.min(100, mantissa.replace(/[-.]/g, "").length - 1 - power)) : String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

/**
 * `round(value, 2)`: to the nearest hundredth of the exact binary value. `toFixed` does that too but for exact ties, which are the
 * odd multiples of 1/8 and go to the even hundredth.
 */
export function roundCents(value: number): number {
  if (!Number.isFinite(value) || value === 0 || Math.abs(value) >= 2 ** 52) return value;
  const whole = Math.trunc(value);
  const tie = EVEN_HUNDREDTHS.get(Math.abs(value - whole));
  return Number(tie === undefined ? value.toFixed(2) : `${value < 0 ? "-" : ""}${Math.abs(whole)}.${tie}`);
}

/** `left == right`: numbers by value, and booleans are numbers. */
export function equal(left: Json, right: Json): boolean {
  const number = (value: Json): Json => (typeof value === "boolean" ? Number(value) : value);
  if (isList(left) && isList(right)) return left.length === right.length && left.every((value, index) => equal(value, right[index] ?? null));
  if (isRecord(left) && isRecord(right)) {
    const keys = Object.keys(left);
    return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && equal(left[key] ?? null, right[key] ?? null));
  }
  return number(left) === number(right);
}

/** `key in dictionary`, for dictionaries whose keys are strings. @throws PythonError for lists and dictionaries. */
export function hashable(key: Json): string | undefined {
  if (isList(key) || isRecord(key)) throw new PythonError(`unhashable type: '${typeName(key)}'`);
  return typeof key === "string" ? key : undefined;
}

export const keyError = (key: string): PythonError => new PythonError(quote(key));

/** `dictionary[key]` of a record as it was parsed. */
export function item<T>(record: Readonly<Record<string, T>>, key: string): T {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (value === undefined) throw keyError(key);
  return value;
}

/** `list[0]`. */
export function first<T>(list: readonly T[]): T {
  const [value] = list;
  if (value === undefined) throw new PythonError("list index out of range");
  return value;
}

/** `value.lower()`. */
export function lower(value: Json): string {
  if (typeof value !== "string") throw new PythonError(`'${typeName(value)}' object has no attribute 'lower'`);
  return value.toLowerCase();
}

/** `for element in value`. */
export function elements(value: Json): readonly Json[] {
  if (isList(value)) return value;
  if (typeof value === "string") return Array.from(value);
  if (isRecord(value)) return Object.keys(value);
  throw new PythonError(`'${typeName(value)}' object is not iterable`);
}

/** `len(value)`. */
export function length(value: Json): number {
  if (isList(value) || typeof value === "string" || isRecord(value)) return elements(value).length;
  throw new PythonError(`object of type '${typeName(value)}' has no len()`);
}

/** `value.count(element)` for an element that came from iterating over `value`. */
export function count(value: Json, element: Json): number {
  if (isRecord(value)) throw new PythonError("'dict' object has no attribute 'count'");
  return elements(value).filter((other) => equal(other, element)).length;
}

const EVEN_HUNDREDTHS: ReadonlyMap<number, string> = new Map([[0.125, "12"], [0.375, "38"], [0.625, "62"], [0.875, "88"]]);

/** Order of code points, as Python sorts strings; JavaScript's own order is by UTF-16 code units. */
export function byCodePoint(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  const place = a.findIndex((character, index) => character !== b[index]);
  if (place === -1) return a.length - b.length;
  return (a[place]?.codePointAt(0) ?? -1) - (b[place]?.codePointAt(0) ?? -1);
}

/** `sorted(value)` of what is known to hold strings only. */
export const sorted = (value: Json): readonly string[] => elements(value).map(text).toSorted(byCodePoint);

/** `json.dumps(value)`: a blank after comma and colon, ASCII only. Whole numbers print without a point, whichever type they had. */
export function dumps(value: Json): string {
  if (isList(value)) return `[${value.map(dumps).join(", ")}]`;
  if (isRecord(value)) return `{${Object.entries(value).map(([key, inner]) => `${ascii(key)}: ${dumps(inner)}`).join(", ")}}`;
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : floatText(value);
  return typeof value === "string" ? ascii(value) : JSON.stringify(value);
}

const ascii = (value: string): string =>
  JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (unit) => (unit === "\u007f" ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`));
