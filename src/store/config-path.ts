/** Settings are addressed by dotted paths, the same that `--set` takes: `algorithm.groupSize`. */
export type ConfigTree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is ConfigTree => typeof value === "object" && value !== null && !Array.isArray(value);

export function valueAt(tree: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (isTree(value) ? value[key] : undefined), tree);
}

/** A copy with one value replaced. */
export function withValue(tree: unknown, path: string, value: unknown): ConfigTree {
  const [key = "", ...rest] = path.split(".");
  const base = isTree(tree) ? tree : {};
  return { ...base, [key]: rest.length === 0 ? value : withValue(base[key], rest.join("."), value) };
}

export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Leaves in which two trees differ, in the order of the second. Another entry of a registry is one change, whatever its settings are. */
export function changes(before: unknown, after: unknown, prefix = ""): Change[] {
  if (!isTree(before) || !isTree(after)) return Object.is(before, after) ? [] : [{ path: prefix, before, after }];
  const [from, to] = [before["id"], after["id"]];
  if (from !== to) return [{ path: prefix, before: from, after: to }];
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].flatMap((key) => changes(before[key], after[key], prefix === "" ? key : `${prefix}.${key}`));
}
