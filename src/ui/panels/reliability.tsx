import { lazy, useDeferredValue, useMemo, type ReactNode } from "react";
import type { EvaluationReport, Subject } from "#run/run-event.ts";
import type { RunState, SubjectEvaluation } from "#store/run-state.ts";
import { reliabilityRows, SUBJECTS, type ReliabilityRow } from "#store/selectors.ts";
import { ChartBox } from "../charts/chart-box.tsx";
import { ChartCard, type ChartTable } from "../charts/chart-card.tsx";
import { SUBJECT_STYLES } from "../charts/subjects.ts";
import { fixed } from "../format.ts";
import { useRun } from "../workbench-context.ts";

const ReliabilityChart = lazy(() => import("../charts/reliability-chart.tsx"));

/** Below this many tasks only the band is drawn. */
const ENOUGH_TASKS = 20;

export function ReliabilityPanel() {
  const evaluations = useRun("reliability", (run) => run.evaluations);
  const shifted = useRun("reliability", (run) => run.shifted);
  const rows = useDeferredValue(useMemo(() => reliabilityRows(evaluations), [evaluations]));
  const current = evaluations.current ?? evaluations.base;
  const summary = summaryOf(current);
  return (
    <ChartCard
      title="Reliability"
      value={current === undefined ? null : <Value report={current.report} />}
      summary={summary}
      table={() => tableOf(rows)}
    >
      <ChartBox label={summary}>
        {(size) => <ReliabilityChart size={size} rows={rows} bandOnly={(evaluations.current?.report.tasks ?? ENOUGH_TASKS) < ENOUGH_TASKS} />}
      </ChartBox>
      <Subjects evaluations={evaluations} shifted={shifted} />
    </ChartCard>
  );
}

const Value = ({ report }: { readonly report: EvaluationReport }) => (
  <span className="value">
    {fixed(report.passHatK.at(-1) ?? 0)} <small>pass^{report.passHatK.length}</small>
  </span>
);

function summaryOf(evaluation: SubjectEvaluation | undefined): string {
  if (evaluation === undefined) return "After the first evaluation: all of k pass (solid), any of k (dashed).";
  const { tasks, trials } = evaluation.report;
  return `Solid all of k pass, dashed any. Bands: 95 %, ${tasks} tasks × ${trials}.`;
}

/** Legend and the numbers at both ends, in one. */
const Subjects = ({ evaluations, shifted }: Pick<RunState, "evaluations" | "shifted">) => (
  <table className="subjects">
    <thead>
      <tr>
        <th scope="col">
          pass
        </th>
        <th scope="col" className="num">
          ^1
        </th>
        <th scope="col" className="num">
          ^8
        </th>
        <th scope="col" className="num">
          @8
        </th>
      </tr>
    </thead>
    <tbody>
      {SUBJECTS.map((subject) => (
        <NumberRow key={subject} report={evaluations[subject]?.report}>
          <Swatch subject={subject} />
          {SUBJECT_STYLES[subject].title}
        </NumberRow>
      ))}
      <NumberRow report={shifted?.report}>
        <svg className="swatch" aria-hidden="true" />
        shifted<span className="vh"> tasks, current</span>
      </NumberRow>
    </tbody>
  </table>
);

interface NumberRowProps {
  readonly report: EvaluationReport | undefined;
  readonly children: ReactNode;
}

function NumberRow({ report, children }: NumberRowProps) {
  const numbers = [report?.passHatK[0], report?.passHatK[7], report?.passAtK[7]];
  return (
    <tr>
      <th scope="row">
        <span className="subject">{children}</span>
      </th>
      {numbers.map((value, index) => (
        <td key={index} className="num">
          {value === undefined ? "–" : fixed(value)}
        </td>
      ))}
    </tr>
  );
}

const Swatch = ({ subject }: { readonly subject: Subject }) => (
  <svg className={`swatch subject-${subject}`} viewBox="0 0 18 8" aria-hidden="true">
    <path d="M0 4H18" />
    <circle className={SUBJECT_STYLES[subject].mark === "filled" ? "swatch-mark is-filled" : "swatch-mark"} cx="14" cy="4" r="3" />
  </svg>
);

const cell = (value: number | undefined): string => (value === undefined ? "" : fixed(value, 3));
const interval = (range: readonly [number, number] | null): string => (range === null ? "" : `${fixed(range[0])} to ${fixed(range[1])}`);

const tableOf = (rows: readonly ReliabilityRow[]): ChartTable => ({
  columns: ["k", "pass^k", "95 %", "pass@k", "95 % ", "base ^", "base @", "scripted ^", "scripted @"],
  rows: rows.map(({ k, all, any, allInterval, anyInterval }) => [
    String(k), cell(all.current), interval(allInterval), cell(any.current), interval(anyInterval),
    cell(all.base), cell(any.base), cell(all.prompted), cell(any.prompted),
  ]),
});
