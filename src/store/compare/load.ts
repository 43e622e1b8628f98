import { words } from "#core/words.ts";
import { settingsSteps } from "#run/settings-changes.ts";
import type { RunLibrary, StoredRun } from "#trainer/library/run-library.ts";
import { titleOf } from "../library-store.ts";
import { bySeedless, oneASeed } from "../seed-groups.ts";
import type { CompareChoice } from "./compare-choice.ts";
import { stateOf, type ComparedEntry, type LoadedRun } from "./entry.ts";

export interface LoadedComparison {
  readonly entries: readonly ComparedEntry[];
  /** Chosen runs that are not stored any more, or cannot be read. */
  readonly missing: number;
}

/** The name a person gave to one of them, else preset and seeds. */
export function entryTitle(runs: readonly StoredRun[]): string {
  const [first] = runs;
  if (first === undefined) return "";
  if (runs.length === 1) return titleOf(first);
  return runs.find(({ title }) => title !== "")?.title ?? `${words(first.config.preset)}, ${runs.length} seeds`;
}

async function loadRun(library: Pick<RunLibrary, "load">, { name, config }: StoredRun): Promise<LoadedRun | null> {
  const archived = await library.load(name);
  if (archived === null) return null;
  const { snapshot, events } = archived;
  return { name, config, state: stateOf(config, events), changes: settingsSteps(events), weights: snapshot === null ? null : { update: snapshot.update, weights: snapshot.policy.weights } };
}

/** One run of a group after the other: their events are large. @throws where the browser refuses storage */
export async function loadComparison(library: Pick<RunLibrary, "list" | "load">, { names, isBySeedless }: CompareChoice): Promise<LoadedComparison> {
  const { runs } = await library.list();
  const taken = new Set<string>();
  const entries: ComparedEntry[] = [];
  let missing = 0;
  for (const name of names) {
    const chosen = runs.find((run) => run.name === name);
    if (chosen === undefined) missing += 1;
    if (chosen === undefined || taken.has(name)) continue;
    const together = isBySeedless ? (bySeedless(runs).find((group) => group.includes(chosen)) ?? [chosen]) : [chosen];
    for (const run of together) taken.add(run.name);
    const group = oneASeed(together);
    const loaded: LoadedRun[] = [];
    for (const run of group) {
      const whole = await loadRun(library, run);
      if (whole === null) missing += 1;
      else loaded.push(whole);
    }
    if (loaded.length > 0) entries.push({ title: entryTitle(group), runs: loaded });
  }
  return { entries, missing };
}
