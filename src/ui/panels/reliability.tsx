import { Suspense, useDeferredValue, useMemo, useState } from "react";
import type { EvaluationReport, Subject } from "#run/run-event.ts";
import type { SubjectEvaluation } from "#store/run-state.ts";
import { evaluationsAt, reliabilityRows, SUBJECTS } from "#store/selectors.ts";
import { ChartBox } from "../charts/chart-box.tsx";
import { ChartCard } from "../charts/chart-card.tsx";
import { SUBJECT_STYLES } from "../charts/subjects.ts";
import { fixed } from "../format.ts";
import { Icon } from "../icon.tsx";
import { KAxis } from "../reliability/k-axis.tsx";
import { holdingText, recount, type Recount } from "../reliability/recount.ts";
import { reliabilityTable } from "../reliability/reliability-table.ts";
import { Staircase } from "../reliability/staircase.tsx";
import { useDraft, useRun, useView } from "../workbench-context.ts";
import { part } from "../part.tsx";

const ReliabilityChart = part(() => import("../charts/reliability-chart.tsx"));
const RecountDialog = part(() => import("../reliability/recount-dialog.tsx"));

/** Below this many tasks only the band is drawn. */
const ENOUGH_TASKS = 20;
const LONGEST = 8;

export function ReliabilityPanel() {
  const newest = useRun("reliability", (run) => run.evaluations);
  const past = useRun("reliability", (run) => run.past);
  const shifted = useRun("reliability", (run) => run.shifted);
  const running = useRun("reliability", (run) => run.config);
  const edited = useDraft((draft) => draft.config);
  const { every } = (running ?? edited).evaluation;
  // A press is painted before the curves follow it.
  const at = useDeferredValue(useView((view) => view.at));
  const evaluations = useMemo(() => evaluationsAt({ evaluations: newest, past }, at), [newest, past, at]);
  const rows = useDeferredValue(useMemo(() => reliabilityRows(evaluations), [evaluations]));
  const [chosen, setChosen] = useState(LONGEST);
  const [preview, setPreview] = useState<number | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const current = evaluations.current ?? evaluations.base;
  const longest = rows.length === 0 ? LONGEST : rows.length;
  const k = Math.min(preview ?? chosen, longest);
  const counted = useMemo(() => (current === undefined ? null : recount(current.report, k)), [current, k]);
  const summary = summaryOf(current);
  return (
    <ChartCard
      title="Reliability"
      value={current === undefined ? null : <Value report={current.report} k={k} />}
      summary={summary}
      table={() => reliabilityTable(rows, shifted?.report, every)}
      action={
        <button
          className="btn btn-quiet btn-sm btn-icon"
          type="button"
          aria-label="Recount from the attempts"
          title="Recount from the attempts"
          disabled={current === undefined}
          onClick={() => setIsOpen(true)}
        >
          <Icon name="dots" />
        </button>
      }
      foot={counted === null ? summary : `Box: ${holdingText(counted)}. Bands: 95 %.`}
    >
      <ChartBox label={summary}>
        {(size) => <ReliabilityChart size={size} rows={rows} k={k} bandOnly={(evaluations.current?.report.tasks ?? ENOUGH_TASKS) < ENOUGH_TASKS} />}
      </ChartBox>
      <KAxis longest={longest} k={k} onChoose={setChosen} onPreview={setPreview} />
      <Ends counted={counted} />
      <Staircase counted={counted} />
      <Subjects />
      {isOpen && current !== undefined && (
        <Suspense>
          <RecountDialog report={current.report} k={k} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </ChartCard>
  );
}

const Value = ({ report, k }: { readonly report: EvaluationReport; readonly k: number }) => (
  <span className="value">
    {fixed(report.passHatK[k - 1] ?? 0)} <small>pass^{k}</small>
  </span>
);

function summaryOf(evaluation: SubjectEvaluation | undefined): string {
  if (evaluation === undefined) return "After the first evaluation: all of k pass (solid), any of k (dashed).";
  const { tasks, trials } = evaluation.report;
  return `Solid all of k pass, dashed any. Bands: 95 %, ${tasks} tasks × ${trials}. Hatched: the gain over the base policy.`;
}

/** What solid, dashed and hatched are, with the numbers at k. */
const Ends = ({ counted }: { readonly counted: Recount | null }) => (
  <p className="pass-keys">
    <span>
      <svg className="swatch subject-current" viewBox="0 0 18 8" aria-hidden="true">
        <path d="M0 4H18" />
      </svg>
      all <b>{counted === null ? "–" : fixed(counted.all)}</b>
    </span>
    <span>
      <svg className="swatch subject-current" viewBox="0 0 18 8" aria-hidden="true">
        <path d="M0 4H18" strokeDasharray="5 3" />
      </svg>
      any <b>{counted === null ? "–" : fixed(counted.any)}</b>
    </span>
    <span>
      <svg className="swatch" viewBox="0 0 18 8" aria-hidden="true">
        <rect className="gain" width="18" height="8" />
      </svg>
      gain
    </span>
  </p>
);

const Subjects = () => (
  <p className="pass-keys">
    {SUBJECTS.map((subject) => (
      <span key={subject}>
        <Swatch subject={subject} />
        {SUBJECT_STYLES[subject].title}
      </span>
    ))}
  </p>
);

const Swatch = ({ subject }: { readonly subject: Subject }) => (
  <svg className={`swatch subject-${subject}`} viewBox="0 0 18 8" aria-hidden="true">
    <path d="M0 4H18" />
    <circle className={SUBJECT_STYLES[subject].mark === "filled" ? "swatch-mark is-filled" : "swatch-mark"} cx="14" cy="4" r="3" />
  </svg>
);
