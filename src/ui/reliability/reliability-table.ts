import type { EvaluationReport, Subject } from "#run/run-event.ts";
import { SUBJECTS, type ReliabilityRow } from "#store/selectors.ts";
import type { ChartTable } from "../charts/chart-card.tsx";
import { SUBJECT_STYLES } from "../charts/subjects.ts";
import { fixed } from "../format.ts";

interface Column {
  readonly title: string;
  readonly cell: (row: ReliabilityRow, index: number) => string;
}

const number = (value: number | undefined): string => (value === undefined ? "" : fixed(value, 3));
const interval = (range: readonly [number, number] | null): string => (range === null ? "" : `${fixed(range[0])} to ${fixed(range[1])}`);

const CURRENT: readonly Column[] = [
  { title: "pass^k", cell: ({ all }) => number(all.current) },
  { title: "95 % of pass^k", cell: ({ allInterval }) => interval(allInterval) },
  { title: "pass@k", cell: ({ any }) => number(any.current) },
  { title: "95 % of pass@k", cell: ({ anyInterval }) => interval(anyInterval) },
];

const beside = (subject: Subject): readonly Column[] => [
  { title: `${SUBJECT_STYLES[subject].title} ^`, cell: ({ all }) => number(all[subject]) },
  { title: `${SUBJECT_STYLES[subject].title} @`, cell: ({ any }) => number(any[subject]) },
];

/** Columns of what was evaluated so far, and a word on what was not. @param every updates between evaluations of the current policy */
export function reliabilityTable(rows: readonly ReliabilityRow[], shifted: EvaluationReport | undefined, every: number): ChartTable {
  if (rows.length === 0) return { columns: [], rows: [], note: "Nothing evaluated yet: the base policy is, with the first update." };
  const evaluated = SUBJECTS.filter((subject) => rows.some(({ all }) => all[subject] !== undefined));
  const hasCurrent = evaluated.includes("current");
  const columns: readonly Column[] = [
    { title: "k", cell: ({ k }) => String(k) },
    ...(hasCurrent ? CURRENT : []),
    ...evaluated.flatMap((subject) => (subject === "current" ? [] : beside(subject))),
    ...(shifted === undefined
      ? []
      : [
          { title: "shifted ^", cell: (_: ReliabilityRow, index: number) => number(shifted.passHatK[index]) },
          { title: "shifted @", cell: (_: ReliabilityRow, index: number) => number(shifted.passAtK[index]) },
        ]),
  ];
  const meaning = "^ all of k attempts at a task pass, @ any of them does; means over the held-out tasks.";
  return {
    columns: columns.map(({ title }) => title),
    rows: rows.map((row, index) => columns.map(({ cell }) => cell(row, index))),
    note: hasCurrent ? meaning : `${meaning} The current policy is first evaluated at update ${every}.`,
  };
}
