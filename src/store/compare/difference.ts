import { mulberry32 } from "#core/mulberry32.ts";
import { meanRates, pairedDifference, type PairedDifference } from "#core/paired.ts";
import type { RunConfig } from "#run/run-config.ts";
import { changes } from "../config-path.ts";
import { lastEvaluation, letterOf, type ComparedEntry, type LoadedRun } from "./entry.ts";

/** Of an entry and the first one, on the tasks that both met. */
export type TaskDifference =
  | ({
      readonly kind: "difference";
      readonly entry: number;
      readonly tasks: number;
      /** [first, entry]: per task, averaged over the entry's seeds. */
      readonly rates: readonly [readonly number[], readonly number[]];
      /** Trials that broke down and count as not passed. */
      readonly failed: number;
    } & PairedDifference)
  | { readonly kind: "refused"; readonly entry: number; readonly reason: string };

/** What decides which held-out tasks a run meets; a person's plays are only imitated. Evaluations of all runs have one seed. */
const tasksOf = ({ environment }: RunConfig): object => ({ ...environment, plays: null });

const listed = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value) ?? "none");

/** Why two runs do not meet the same held-out tasks; null where they do. */
export function differentTasks(a: RunConfig, b: RunConfig): string | null {
  if (a.environment.id !== b.environment.id) return `they act in different environments, ${a.environment.id} and ${b.environment.id}, so no task is the same`;
  const [change] = changes(tasksOf(a), tasksOf(b));
  if (change !== undefined) return `the environment's settings differ (${change.path}: ${listed(change.before)} and ${listed(change.after)}), so the tasks do too`;
  return null;
}

function refusal(first: ComparedEntry, second: ComparedEntry, letters: readonly [string, string]): string | null {
  for (const [at, { runs }] of [first, second].entries()) {
    const missing = runs.filter((run) => lastEvaluation(run) === null);
    if (missing.length > 0) return `${letters[at]}${runs.length > 1 ? `, seed ${missing[0]?.config.seed},` : ""} was not evaluated on held-out tasks yet`;
  }
  const [a, b] = [first.runs[0]?.config, second.runs[0]?.config];
  if (a === undefined || b === undefined) return "there is nothing to compare";
  const reason = differentTasks(a, b);
  if (reason !== null) return reason;
  const counts = [first, second].flatMap(({ runs }) => runs.map((run) => lastEvaluation(run)?.report.tasks ?? 0));
  if (new Set(counts).size > 1) return `they were evaluated on ${[...new Set(counts)].join(" and ")} tasks`;
  return null;
}

/** [tasks]: success on each task in the newest evaluation, averaged over trials; null where there is none. */
export function runRates(run: LoadedRun): readonly number[] | null {
  const report = lastEvaluation(run)?.report;
  return report === undefined ? null : report.successes.map((successes) => successes / report.trials);
}

/** The same averaged over seeds. */
const ratesOf = ({ runs }: ComparedEntry): readonly number[] => meanRates(runs.map(runRates).filter((rates) => rates !== null));

const failedOf = ({ runs }: ComparedEntry): number => runs.reduce((sum, run) => sum + (lastEvaluation(run)?.report.failed ?? 0), 0);

/** Every entry against the first one. */
export function taskDifferences(entries: readonly ComparedEntry[]): readonly TaskDifference[] {
  const [first, ...others] = entries;
  if (first === undefined) return [];
  return others.map((other, index): TaskDifference => {
    const entry = index + 1;
    const reason = refusal(first, other, [letterOf(0), letterOf(entry)]);
    if (reason !== null) return { kind: "refused", entry, reason };
    const rates = [ratesOf(first), ratesOf(other)] as const;
    return { kind: "difference", entry, tasks: rates[0].length, rates, failed: failedOf(first) + failedOf(other), ...pairedDifference(...rates, mulberry32(1)) };
  });
}

/** Tasks in the order of how far two rates lie apart, the widest first; equal ones as they come. */
export const mostDifferent = ([first, second]: readonly [readonly number[], readonly number[]]): readonly number[] =>
  first.map((_, task) => task).toSorted((a, b) => Math.abs((second[b] ?? 0) - (first[b] ?? 0)) - Math.abs((second[a] ?? 0) - (first[a] ?? 0)));
