import type { EvaluationReport, MemberRecord, Subject, TurnRecord } from "#run/run-event.ts";
import type { GroupEntry, RunState } from "./run-state.ts";
import type { Series, SeriesMetric } from "./series.ts";
import type { TurnSelection } from "./view-store.ts";

export const isUnderWay = ({ status }: RunState): boolean => status === "starting" || status === "running" || status === "paused";

/** Of the newest update, the group whose rewards differ most; the later one when they are even. */
export function newestGroup({ groups }: RunState): GroupEntry | null {
  const newest = groups.at(-1);
  if (newest === undefined) return null;
  return groups.reduce((best, entry) => (entry.update === newest.update && spread(entry) >= spread(best) ? entry : best), newest);
}

/** Distance of the two outcomes from an even split, negated: 0 is the most informative. */
function spread({ group }: GroupEntry): number {
  if (!group.informative) return Number.NEGATIVE_INFINITY;
  const successes = group.members.filter(({ success }) => success).length;
  return -Math.abs(successes / group.members.length - 0.5);
}

/** The group before or after one on the board; null at the ends. */
export function neighbourGroup({ groups }: RunState, entry: GroupEntry | null, step: -1 | 1): GroupEntry | null {
  if (entry === null) return null;
  const index = groups.indexOf(entry);
  return index < 0 ? null : (groups[index + step] ?? null);
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

/** Largest credit on the board, so that every row has one scale; at least 1. */
export const creditScale = ({ group }: GroupEntry): number =>
  Math.max(1, ...group.members.flatMap(({ turns }) => turns.map(({ credit }) => Math.abs(credit))));

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
