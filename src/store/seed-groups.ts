import { configText, type RunConfig } from "#run/run-config.ts";

/** Equal for runs that differ in nothing but their seed. */
export const seedlessKey = (config: RunConfig): string => configText({ ...config, seed: 0 });

interface Kept {
  readonly config: RunConfig;
  /** The updates after which settings were changed. */
  readonly changedAfter: readonly number[];
}

/** Whether these settings, with some seed, made all of a run. */
export const isMadeBy = (run: Kept, config: RunConfig): boolean => run.changedAfter.length === 0 && seedlessKey(run.config) === seedlessKey(config);

/** Runs by everything except the seed, in the order of the first of each group; runs of one seed only, and those whose settings were changed on the way, stay by themselves. */
export function bySeedless<T extends Kept>(runs: readonly T[]): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const [at, run] of runs.entries()) {
    const key = run.changedAfter.length > 0 ? String(at) : seedlessKey(run.config);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [run]);
    else group.push(run);
  }
  return [...groups.values()].flatMap((group) => (new Set(group.map(({ config }) => config.seed)).size > 1 ? [group] : group.map((run) => [run])));
}

/** Of runs with one seed the one that got furthest, the first on ties: the same run twice is one seed. By seed. */
export function oneASeed<T extends { readonly config: RunConfig; readonly update: number }>(runs: readonly T[]): readonly T[] {
  const best = new Map<number, T>();
  for (const run of runs) {
    const known = best.get(run.config.seed);
    if (known === undefined || run.update > known.update) best.set(run.config.seed, run);
  }
  return [...best.values()].toSorted((a, b) => a.config.seed - b.config.seed);
}
