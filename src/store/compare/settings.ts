import { changes, valueAt } from "../config-path.ts";
import type { ComparedEntry } from "./entry.ts";

export interface SettingRow {
  readonly path: string;
  /** [entries]; undefined where what an entry has chosen has no such setting. */
  readonly values: readonly unknown[];
}

/** Entries of registries are told by their id. */
const shownValue = (value: unknown): unknown => (typeof value === "object" && value !== null && "id" in value ? value.id : value);

/** Settings that are not the same in all entries, in the order of the configuration. Of several seeds, all are named. */
export function differingSettings(entries: readonly ComparedEntry[]): readonly SettingRow[] {
  const configs = entries.flatMap(({ runs }) => runs.slice(0, 1).map(({ config }) => config));
  const [first, ...others] = configs;
  if (first === undefined) return [];
  const paths = new Set(others.flatMap((other) => changes(first, other).map(({ path }) => path)).filter((path) => path !== "seed"));
  const seeds = entries.map(({ runs }) => runs.map(({ config }) => config.seed).join(", "));
  const seedRow = new Set(seeds).size > 1 ? [{ path: "seed", values: seeds }] : [];
  return [...seedRow, ...[...paths].map((path) => ({ path, values: configs.map((config) => shownValue(valueAt(config, path))) }))];
}
