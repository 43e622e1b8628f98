import * as v from "valibot";
import type { FieldsSchema, Registry, ChoiceOf } from "#algorithms/entry.ts";
import type { FieldNote } from "#core/field.ts";

type Fields = Readonly<Record<string, v.GenericSchema>>;
type With<T> = v.GenericSchema & T;

const isFields = (schema: v.GenericSchema): schema is FieldsSchema => schema.type === "strict_object";
export const isChoice = (schema: v.GenericSchema): schema is With<{ readonly options: readonly FieldsSchema[] }> => schema.type === "variant";
const isPicklist = (schema: v.GenericSchema): schema is With<{ readonly options: readonly string[] }> => schema.type === "picklist";
const isNullable = (schema: v.GenericSchema): schema is With<{ readonly wrapped: v.GenericSchema }> => schema.type === "nullable";
const isLiteral = (schema: v.GenericSchema): schema is With<{ readonly literal: string | number }> => schema.type === "literal";

/**
 * A union over the entries of a registry that are `offered`, told apart by `id`. Checks piped behind an entry's schema are left to
 * `entryIssue`.
 */
export function oneOf<R extends Registry>(registry: R, note: FieldNote, offered: (entry: R[keyof R]) => boolean = () => true): v.GenericSchema<ChoiceOf<R>> {
  const options = Object.entries(registry).filter(([, entry]) => offered(entry as R[keyof R])).map(([id, { title, schema, defaults }]) =>
    v.pipe(v.strictObject({ id: v.literal(id), ...schema.entries }), v.metadata({ title, defaults: { id, ...(defaults as object) } })),
  );
  return v.pipe(v.variant("id", options), v.metadata({ ...note })) as unknown as v.GenericSchema<ChoiceOf<R>>;
}

/** What the schema of the chosen entry itself objects to, such as shares that sum to more than 1; undefined where it is content. */
export function entryIssue<R extends Registry>(registry: R, { id, ...settings }: { readonly id: keyof R & string }): string | undefined {
  return v.safeParse((registry[id] as Registry[string]).schema, settings).issues?.[0].message;
}

const idOf = ({ entries }: FieldsSchema): unknown => entries["id"] !== undefined && isLiteral(entries["id"]) ? entries["id"].literal : undefined;

/** An own property, whatever `value` is. */
export const propertyOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;

/** The fields at a place of a configuration: of an object, or of the option that `value` has chosen; none at a leaf. */
function fieldsAt(schema: v.GenericSchema, value: unknown): Fields {
  const fields = isChoice(schema) ? schema.options.find((option) => idOf(option) === propertyOf(value, "id")) : schema;
  return fields !== undefined && isFields(fields) ? (fields.entries as Fields) : {};
}

/** Names that may stand behind the dot. */
export const keysAt = (schema: v.GenericSchema, value: unknown): readonly string[] =>
  Object.keys(fieldsAt(schema, value)).filter((key) => !(isChoice(schema) && key === "id"));

/** Undefined for a key that is not a setting there. A union's `id` stands for the union. */
export function childAt(schema: v.GenericSchema, value: unknown, key: string): v.GenericSchema | undefined {
  if (isChoice(schema) && key === "id") return schema;
  const fields = fieldsAt(schema, value);
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** What a place takes, in words. */
export function allowedAt(schema: v.GenericSchema): string {
  if (isChoice(schema)) return schema.options.map(idOf).join(", ");
  if (isPicklist(schema)) return schema.options.join(", ");
  if (isLiteral(schema)) return String(schema.literal);
  if (isNullable(schema)) return `${allowedAt(schema.wrapped)}, or null`;
  if (isFields(schema)) return `an object with ${Object.keys(schema.entries).join(", ")}`;
  if (schema.type === "boolean") return "true, false";
  const { min, max, step, allowed = "a text that is not empty" } = v.getMetadata(schema) as { min?: number; max?: number; step?: number; allowed?: string };
  if (schema.type !== "number") return allowed;
  const kind = Number.isInteger(step) ? "a whole number" : "a number";
  return `${kind} from ${min} to ${max}${step !== undefined && step > 1 ? ` in steps of ${step}` : ""}`;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A typed text as the value that a place takes: an entry's id becomes that entry with its defaults. Not yet checked. */
export function readText(schema: v.GenericSchema, text: string): unknown {
  if (isNullable(schema)) return text === "null" ? null : readText(schema.wrapped, text);
  if (isLiteral(schema)) return text === String(schema.literal) ? schema.literal : text;
  if (isChoice(schema)) {
    const option = schema.options.find((candidate) => idOf(candidate) === text);
    return option === undefined ? text : (v.getMetadata(option) as { readonly defaults: unknown }).defaults;
  }
  if (schema.type === "number") return NUMBER.test(text) ? Number(text) : text;
  if (schema.type === "boolean") return text === "true" || (text === "false" ? false : text);
  return text;
}

/** A number moved to the nearest one that a place takes; anything else as it is. */
export function nearestAllowed(schema: v.GenericSchema, value: unknown): unknown {
  if (isNullable(schema)) return nearestAllowed(schema.wrapped, value);
  if (schema.type !== "number" || typeof value !== "number" || Number.isNaN(value)) return value;
  const { min, max, step } = v.getMetadata(schema) as { readonly min: number; readonly max: number; readonly step?: number };
  const within = Math.min(max, Math.max(min, value));
  // Steps that are no whole numbers are for the form's buttons: values between them are allowed.
  return step !== undefined && Number.isInteger(step) ? min + Math.round((within - min) / step) * step : within;
}
