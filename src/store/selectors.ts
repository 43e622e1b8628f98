import type { EvaluationReport, MemberRecord, Subject, TurnRecord } from "#run/run-event.ts";
import type { GroupEntry, RunState } from "./run-state.ts";
import type { Series, SeriesMetric, SeriesPoint } from "./series.ts";
import type { TurnSelection, ViewState } from "./view-store.ts";

export const isUnderWay = ({ status }: RunState): boolean =>
  status === "starting" || status === "running" || status === "paused" || status === "recovering";

/**
 * Of the newest update, the group whose rewards differ most; the later one when they are even. A group that is still being learnt from
 * waits, so that board, curves and readout show one update; but for the first, which is there long before its update has ended.
 */
export function newestGroup({ groups, update }: Pick<RunState, "groups" | "update">): GroupEntry | null {
  const newest = groups.findLast((entry) => entry.update <= update) ?? groups[0];
  return newest === undefined ? null : mostInformative(groups, newest);
}

/** The group on the board: the one that is held, else the newest. */
export const boardEntry = (held: ViewState["held"], run: Pick<RunState, "groups" | "update">): GroupEntry | null => held ?? newestGroup(run);

/** The update that is looked at: the one gone back to, else the newest. */
export const shownUpdate = ({ update, groups }: Pick<RunState, "groups" | "update">, at: number | null): number => at ?? Math.max(update, groups[0]?.update ?? 0);

const mostInformative = (groups: readonly GroupEntry[], of: GroupEntry): GroupEntry =>
  groups.reduce((best, entry) => (entry.update === of.update && spread(entry) >= spread(best) ? entry : best), of);

/** Distance of the two outcomes from an even split, negated: 0 is the most informative. */
function spread({ group }: GroupEntry): number {
  if (!group.informative) return Number.NEGATIVE_INFINITY;
  const successes = group.members.filter(({ success }) => success).length;
  return -Math.abs(successes / group.members.length - 0.5);
}

/** The group of an update; the one kept before it where that has gone, the first where there is none before. */
export function groupAt({ groups }: RunState, update: number): GroupEntry | null {
  const at = groups.findLast((entry) => entry.update <= update) ?? groups[0];
  return at === undefined ? null : mostInformative(groups, at);
}

export interface SelectedTurn {
  readonly member: MemberRecord;
  readonly turn: TurnRecord & { readonly sequence: number };
}

export function selectedTurn(entry: GroupEntry | null, selection: TurnSelection | null): SelectedTurn | null {
  if (entry === null || selection === null) return null;
  const member = entry.group.members[selection.member];
  const turn = member?.turns[selection.turn];
  return member === undefined || turn === undefined ? null : { member, turn };
}

/** The means that an update went into; the last before it where it is not computed yet. */
export const pointAt = ({ points }: Series, update: number): SeriesPoint | null => points.findLast(({ from }) => from <= update) ?? null;

/** The evaluations as they stood at an update. */
export function evaluationsAt({ evaluations, past }: Pick<RunState, "evaluations" | "past">, at: number | null): RunState["evaluations"] {
  if (at === null) return evaluations;
  const { current: _, ...others } = evaluations;
  const current = past.findLast(({ update }) => update <= at);
  return current === undefined ? others : { ...others, current };
}

export interface SuccessRow {
  readonly update: number;
  readonly training: number | null;
  readonly heldout: number | null;
  readonly interval: readonly [number, number] | null;
}

/** Rows of the success chart, at most as many as the series has points, and one more for the start. */
export function successRows(series: Series, heldout: RunState["heldout"]): SuccessRow[] {
  const rows = new Map<number, SuccessRow>();
  for (const { to, values } of series.points) rows.set(to, { update: to, training: values.success, heldout: null, interval: null });
  const ends = series.points.map(({ to }) => to);
  for (const { update, passHat1, interval } of heldout) {
    const at = update === 0 ? 0 : (ends.find((end) => end >= update) ?? update);
    rows.set(at, { update: at, training: rows.get(at)?.training ?? null, heldout: passHat1, interval });
  }
  return [...rows.values()].toSorted((a, b) => a.update - b.update);
}

export interface ReliabilityRow {
  readonly k: number;
  readonly all: Readonly<Partial<Record<Subject, number>>>;
  readonly any: Readonly<Partial<Record<Subject, number>>>;
  /** 95 % intervals of the current policy. */
  readonly allInterval: readonly [number, number] | null;
  readonly anyInterval: readonly [number, number] | null;
}

export const SUBJECTS = ["current", "base", "prompted"] as const satisfies readonly Subject[];

export function reliabilityRows(evaluations: RunState["evaluations"]): ReliabilityRow[] {
  const reports = SUBJECTS.flatMap((subject): (readonly [Subject, EvaluationReport])[] => {
    const report = evaluations[subject]?.report;
    return report === undefined ? [] : [[subject, report]];
  });
  const longest = Math.max(0, ...reports.map(([, { passHatK }]) => passHatK.length));
  const current = evaluations.current?.report;
  return Array.from({ length: longest }, (_, index) => ({
    k: index + 1,
    all: valuesAt(reports, ({ passHatK }) => passHatK[index]),
    any: valuesAt(reports, ({ passAtK }) => passAtK[index]),
    allInterval: current?.passHatKInterval[index] ?? null,
    anyInterval: current?.passAtKInterval[index] ?? null,
  }));
}

function valuesAt(
  reports: readonly (readonly [Subject, EvaluationReport])[], value: (report: EvaluationReport) => number | undefined,
): Readonly<Partial<Record<Subject, number>>> {
  return Object.fromEntries(reports.flatMap(([subject, report]) => {
    const found = value(report);
    return found === undefined ? [] : [[subject, found]];
  }));
}

/** One metric over the updates, for a strip. */
export const metricValues = ({ points }: Series, metric: SeriesMetric): readonly (number | null)[] =>
  points.map(({ values }) => values[metric]);
