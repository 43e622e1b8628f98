import * as v from "valibot";
import { ConfigError } from "#core/errors.ts";
import { parseRunConfig, runConfigSchema, type RunConfig } from "#run/run-config.ts";
import { allowedAt, childAt, isChoice, keysAt, nearestAllowed, propertyOf, readText } from "#run/schema-walk.ts";

/** A name and its text, decoded. Lists of these, never objects: no name can reach a prototype. */
export type Parameter = readonly [name: string, text: string];

/** Something in a link that was not taken as it stands. */
export interface LinkNote {
  readonly kind: "unknown" | "refused" | "clamped" | "conflict" | "newer" | "repeated";
  readonly key: string;
  /** A sentence without its full stop. */
  readonly message: string;
}

/** Written under names of their own. */
const ELSEWHERE: ReadonlySet<string> = new Set(["version", "preset"]);

/** The settings in which `config` differs from `base`, as paths and texts; an entry's id comes before its settings. */
export function settingsFrom(base: RunConfig, config: RunConfig): readonly Parameter[] {
  const walk = (schema: v.GenericSchema, before: unknown, after: unknown, path: string): Parameter[] => {
    if (keysAt(schema, after).length === 0 && !isChoice(schema)) return before === after ? [] : [[path, String(after)]];
    const id = isChoice(schema) ? propertyOf(after, "id") : undefined;
    const isOther = id !== propertyOf(before, "id") && typeof id === "string";
    const start = isOther ? readText(schema, id) : before;
    return [
      ...(isOther ? [[path, id] as const] : []),
      ...keysAt(schema, after).flatMap((key) => {
        const child = childAt(schema, after, key);
        const place = path === "" ? key : `${path}.${key}`;
        return child === undefined || ELSEWHERE.has(place) ? [] : walk(child, propertyOf(start, key), propertyOf(after, key), place);
      }),
    ];
  };
  return walk(runConfigSchema, base, config, "");
}

interface Setting {
  readonly path: string;
  readonly keys: readonly string[];
  readonly value: unknown;
}

interface Place {
  readonly schema: v.GenericSchema;
  readonly value: unknown;
}

/** Undefined where the configuration as it stands has no setting of that name. */
function placeOf(config: unknown, keys: readonly string[]): Place | undefined {
  let place: Place | undefined = { schema: runConfigSchema, value: config };
  for (const key of keys) {
    const schema: v.GenericSchema | undefined = place && childAt(place.schema, place.value, key);
    place = schema && { schema, value: key === "id" && isChoice(schema) ? place?.value : propertyOf(place?.value, key) };
  }
  return place;
}

function replaced(value: unknown, [key, ...rest]: readonly string[], next: unknown): unknown {
  if (key === undefined) return next;
  return { ...(typeof value === "object" ? value : {}), [key]: replaced(propertyOf(value, key), rest, next) };
}

export interface AppliedSettings {
  readonly config: RunConfig;
  /** Names that are no settings here. */
  readonly unknown: readonly Parameter[];
  readonly notes: readonly LinkNote[];
}

/** The settings put over `base`: each typed, moved into its range, or left at `base`'s value with a note. Never throws. */
export function applySettings(base: RunConfig, parameters: readonly Parameter[]): AppliedSettings {
  const notes: LinkNote[] = [];
  const unknown: Parameter[] = [];
  const settings: Setting[] = [];
  let config: unknown = base;
  // An entry is chosen before its own settings are read, whatever the order in the link.
  const depth = ([path]: Parameter): number => path.replace(/\.id$/, "").split(".").length;
  for (const [path, text] of parameters.toSorted((a, b) => depth(a) - depth(b))) {
    const keys = path.split(".");
    const place = ELSEWHERE.has(path) ? undefined : placeOf(config, keys);
    if (place === undefined) {
      unknown.push([path, text]);
      notes.push({ kind: "unknown", key: path, message: `“${path}” is no setting here: it is kept in the link and not used` });
      continue;
    }
    const read = readText(place.schema, text);
    const value = nearestAllowed(place.schema, read);
    if (!v.is(place.schema, value)) {
      notes.push({ kind: "refused", key: path, message: `“${path}” is “${short(text)}”; allowed: ${allowedAt(place.schema)}. It is left as it was` });
      continue;
    }
    if (value !== read) notes.push({ kind: "clamped", key: path, message: `“${path}” is ${short(text)}, taken as ${String(value)}` });
    const setting = { path, keys: isChoice(place.schema) && keys.at(-1) === "id" ? keys.slice(0, -1) : keys, value };
    settings.push(setting);
    config = replaced(config, setting.keys, value);
  }
  return { config: fitting(base, settings, notes), unknown, notes };
}

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Settings that do not fit together are left out, those that the complaint names first. */
function fitting(base: RunConfig, settings: readonly Setting[], notes: LinkNote[]): RunConfig {
  let left = settings;
  for (;;) {
    try {
      return parseRunConfig(left.reduce<unknown>((config, { keys, value }) => replaced(config, keys, value), base));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const at = String(error.detail["path"] ?? "");
      const [group = ""] = at.split(".");
      const named = left.filter(({ path }) => path === at || path.startsWith(`${at}.`) || at.startsWith(`${path}.`));
      const near = left.filter(({ path }) => path === group || path.startsWith(`${group}.`));
      const out = named.length > 0 ? named : near.length > 0 ? near : left;
      notes.push({ kind: "conflict", key: at, message: `These settings do not fit together: ${error.message}. Left out: ${out.map(({ path }) => path).join(", ")}` });
      left = left.filter((setting) => !out.includes(setting));
    }
  }
}
