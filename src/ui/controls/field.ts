import * as v from "valibot";
import { runConfigSchema } from "#run/run-config.ts";
import { allowedAt, childAt, propertyOf } from "#run/schema-walk.ts";
import { valueAt } from "#store/config-path.ts";

export interface FieldDescription {
  readonly path: string;
  readonly schema: v.GenericSchema;
  readonly title: string;
  readonly help: string;
  readonly unit: string | null;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The schema and the words of a setting; undefined where the settings as they are have none of that name. */
export function fieldAt(draft: unknown, path: string): FieldDescription | undefined {
  let schema: v.GenericSchema | undefined = runConfigSchema;
  let value = draft;
  for (const key of path.split(".")) {
    schema = schema === undefined ? undefined : childAt(schema, value, key);
    value = propertyOf(value, key);
  }
  if (schema === undefined) return undefined;
  const note: Readonly<Record<string, unknown>> = v.getMetadata(schema);
  return { path, schema, title: text(note["title"]) ?? path, help: text(note["help"]) ?? "", unit: text(note["unit"]) };
}

/** A setting's name for people; falls back to its path. */
export const titleAt = (draft: unknown, path: string): string => fieldAt(draft, path)?.title ?? path;

/** What is wrong with the value of one setting, with what it takes instead; null when nothing is. */
export function faultOf({ schema }: FieldDescription, value: unknown): string | null {
  return v.is(schema, value) ? null : `Takes ${allowedAt(schema)}.`;
}

export const numberNote = (schema: v.GenericSchema): { readonly min?: number; readonly max?: number; readonly step?: number } => {
  const note: Readonly<Record<string, unknown>> = v.getMetadata(schema);
  const number = (key: string) => (typeof note[key] === "number" ? { [key]: note[key] } : {});
  return { ...number("min"), ...number("max"), ...number("step") };
};

type Picklist = v.GenericSchema & { readonly options: readonly string[] };
export const isPicklist = (schema: v.GenericSchema): schema is Picklist => schema.type === "picklist";

type Choice = v.GenericSchema & { readonly options: readonly v.GenericSchema[] };
const isChoice = (schema: v.GenericSchema): schema is Choice => schema.type === "variant";

export interface EntryOption {
  readonly id: string;
  readonly title: string;
  /** The entry with its defaults: what choosing it sets. */
  readonly defaults: unknown;
}

/** The entries of a union; empty for any other schema. */
export function entryOptions(schema: v.GenericSchema): readonly EntryOption[] {
  if (!isChoice(schema)) return [];
  return schema.options.flatMap((option) => {
    const note: Readonly<Record<string, unknown>> = v.getMetadata(option);
    const id = text(valueAt(note["defaults"], "id"));
    return id === null ? [] : [{ id, title: text(note["title"]) ?? id, defaults: note["defaults"] }];
  });
}
