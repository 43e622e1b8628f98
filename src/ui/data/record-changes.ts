import type { Json } from "#core/trajectory.ts";
import { changedRecords, TABLES, type RetailDatabase, type Table } from "#environments/tau-retail/database.ts";
import { isList, isRecord } from "#environments/tau-retail/python.ts";

/** One value before and after; null where it was not there. */
export interface ValueChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface RecordChange {
  readonly table: Table;
  readonly id: string;
  readonly values: readonly ValueChange[];
}

/** An entry that came or went is one value, not one for each of its fields. */
function shown(value: Json | undefined): string | null {
  if (value === undefined) return null;
  if (isList(value)) return value.length === 0 ? "none" : value.map(shown).join(", ");
  if (isRecord(value)) return Object.entries(value).map(([key, inner]) => `${key.replaceAll("_", " ")} ${shown(inner) ?? ""}`).join(", ");
  return value === "" ? "empty" : String(value);
}

/** Lists of records go entry by entry, lists of words as a whole. */
const isTable = (value: Json | undefined): value is readonly Json[] => isList(value) && value.length > 0 && value.every(isRecord);

function changesIn(before: Json | undefined, after: Json | undefined, path: string): readonly ValueChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => changesIn(before[key], after[key], path === "" ? key : `${path}, ${key}`));
  }
  if (isTable(before) && isTable(after)) {
    const places = Array.from({ length: Math.max(before.length, after.length) }, (_, place) => place);
    return places.flatMap((place) => changesIn(before[place], after[place], `${path} ${place + 1}`));
  }
  const [old, now] = [shown(before), shown(after)];
  return old === now ? [] : [{ path: path.replaceAll("_", " "), before: old, after: now }];
}

/** What differs between two states of the database, record by record, value by value. */
export function recordChanges(before: RetailDatabase, after: RetailDatabase): readonly RecordChange[] {
  const changed = changedRecords(before, after);
  return TABLES.flatMap((table) =>
    [...changed[table].keys()].map((id) => ({ table, id, values: changesIn(before[table].get(id), after[table].get(id), "") })),
  );
}
