import { passAtK, passHatK } from "#core/statistics.ts";
import type { EvaluationReport } from "#run/run-event.ts";

/** The tasks that succeeded equally often, and what each of them adds to the points at k. */
export interface Share {
  readonly successes: number;
  readonly tasks: number;
  /** C(successes, k) / C(trials, k), and its dual. */
  readonly all: number;
  readonly any: number;
}

export interface Recount {
  readonly k: number;
  readonly tasks: number;
  readonly trials: number;
  /** From most successes to none; those without tasks are left out. */
  readonly shares: readonly Share[];
  /** Tasks that succeeded at least k times: only they add to pass^k. */
  readonly holding: number;
  readonly all: number;
  readonly any: number;
}

/** The points of the curve at k, added up from the tasks again. */
export function recount({ successes, trials, tasks }: Pick<EvaluationReport, "successes" | "trials" | "tasks">, k: number): Recount {
  const shares = Array.from({ length: trials + 1 }, (_, index): Share => {
    const count = trials - index;
    return {
      successes: count,
      tasks: successes.filter((value) => value === count).length,
      all: passHatK([count], [trials], k).mean ?? 0,
      any: passAtK([count], [trials], k).mean ?? 0,
    };
  }).filter((share) => share.tasks > 0);
  const total = (value: (share: Share) => number): number => shares.reduce((sum, share) => sum + share.tasks * value(share), 0) / Math.max(1, tasks);
  return {
    k, tasks, trials, shares,
    holding: successes.filter((count) => count >= k).length,
    all: total(({ all }) => all),
    any: total(({ any }) => any),
  };
}

export const holdingText = ({ k, holding, tasks, trials }: Recount): string =>
  k === trials ? `${holding} of ${tasks} tasks passed all ${trials}` : `${holding} of ${tasks} tasks passed at least ${k} of ${trials}`;
