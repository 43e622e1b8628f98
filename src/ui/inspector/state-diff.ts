import type { Json } from "#core/trajectory.ts";
import { words } from "../format.ts";

/** One value before and after a turn, as a person reads it; null where it was not, or is no longer, there. */
export interface DiffValue {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface DiffRow {
  readonly key: string;
  readonly cells: readonly DiffValue[];
}

/** A list of records, one row each. */
export interface DiffTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly DiffRow[];
}

export interface StateDiff {
  /** Everything that stands in no list, by its path. */
  readonly values: readonly DiffValue[];
  readonly tables: readonly DiffTable[];
  /** Values and cells that differ. */
  readonly changed: number;
}

export const isChanged = ({ before, after }: DiffValue): boolean => before !== after;

type JsonRecord = { readonly [key: string]: Json };

const isRecord = (value: Json | undefined): value is JsonRecord => typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isTable = (value: Json | undefined): value is readonly JsonRecord[] => isList(value) && value.length > 0 && value.every(isRecord);

function shown(value: Json | undefined): string | null {
  if (value === undefined) return null;
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isList(value)) return value.length === 0 ? "none" : value.map(shown).join(", ");
  return isRecord(value) ? JSON.stringify(value) : String(value);
}

/** `errorsSwallowed` as a person would write it. */
const named = (path: string): string => words(path.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

const keysOf = (...records: readonly (JsonRecord | undefined)[]): string[] => [...new Set(records.flatMap((record) => Object.keys(record ?? {})))];

/** Records are told apart by their id, or by their place where they have none. */
const keyed = (records: readonly JsonRecord[]): ReadonlyMap<string, JsonRecord> =>
  new Map(records.map((record, index) => [shown(record["id"]) ?? String(index + 1), record]));

function tableDiff(name: string, before: readonly JsonRecord[], after: readonly JsonRecord[]): DiffTable {
  const [old, now] = [keyed(before), keyed(after)];
  const columns = keysOf(...after, ...before);
  const rows = [...new Set([...old.keys(), ...now.keys()])].map((key) => ({
    key,
    cells: columns.map((column) => ({ name: column, before: shown(old.get(key)?.[column]), after: shown(now.get(key)?.[column]) })),
  }));
  return { name, columns, rows };
}

interface Parts {
  readonly values: DiffValue[];
  readonly tables: DiffTable[];
}

function collect(path: string, before: Json | undefined, after: Json | undefined, parts: Parts): void {
  if (isRecord(before) || isRecord(after)) {
    const [old, now] = [isRecord(before) ? before : undefined, isRecord(after) ? after : undefined];
    for (const key of keysOf(now, old)) collect(path === "" ? key : `${path} ${key}`, old?.[key], now?.[key], parts);
  } else if (isTable(before) || isTable(after)) {
    parts.tables.push(tableDiff(named(path), isTable(before) ? before : [], isTable(after) ? after : []));
  } else {
    parts.values.push({ name: named(path), before: shown(before), after: shown(after) });
  }
}

/** What a turn did to the hidden state, value by value. */
export function stateDiff(before: Json, after: Json): StateDiff {
  const parts: Parts = { values: [], tables: [] };
  collect("", before, after, parts);
  const cells = parts.tables.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  return { ...parts, changed: [...parts.values, ...cells].filter(isChanged).length };
}
