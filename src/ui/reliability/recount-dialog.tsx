import { useState } from "react";
import type { EvaluationReport } from "#run/run-event.ts";
import { fixed } from "../format.ts";
import { Dialog } from "../shell/modal.tsx";
import { Dots } from "./dots.tsx";
import { KAxis } from "./k-axis.tsx";
import { holdingText, recount, type Recount } from "./recount.ts";

interface RecountDialogProps {
  readonly report: EvaluationReport;
  readonly k: number;
  readonly onClose: () => void;
}

/** Every attempt as a dot, and the sum that makes one point of the curve. */
export default function RecountDialog({ report, k: opened, onClose }: RecountDialogProps) {
  const [chosen, setChosen] = useState(opened);
  const [preview, setPreview] = useState<number | null>(null);
  const counted = recount(report, preview ?? chosen);
  return (
    <Dialog title={`${report.tasks} tasks × ${report.trials} attempts, recounted`} size="wide" onClose={onClose}>
      <div className="recount-k">
        <span className="field-label">k =</span>
        <KAxis longest={report.passHatK.length} k={preview ?? chosen} onChoose={setChosen} onPreview={setPreview} />
      </div>
      <Dots counted={counted} />
      <p>
        A column is a task, a dot an attempt: filled passed, open did not. The box: {holdingText(counted)}.
      </p>
      <SumTable counted={counted} />
      {report.failed > 0 && <p>{report.failed} attempts broke down and are left out of the curve, so the sum can differ from it.</p>}
    </Dialog>
  );
}

const SumTable = ({ counted: { k, tasks, trials, shares, all, any } }: { readonly counted: Recount }) => (
  <div className="table-box" tabIndex={0} role="region" aria-label="The sum">
    <table className="data">
      <thead>
        <tr>
          <th scope="col">Passed, of {trials}</th>
          <th scope="col" className="num">
            Tasks
          </th>
          <th scope="col" className="num">
            All {k} pass
          </th>
          <th scope="col" className="num">
            × tasks
          </th>
          <th scope="col" className="num">
            Any of {k} passes
          </th>
          <th scope="col" className="num">
            × tasks{" "}
          </th>
        </tr>
      </thead>
      <tbody>
        {shares.map((share) => (
          <tr key={share.successes}>
            <th scope="row">{share.successes}</th>
            <td className="num">{share.tasks}</td>
            <td className="num">{fixed(share.all, 3)}</td>
            <td className="num">{fixed(share.tasks * share.all, 1)}</td>
            <td className="num">{fixed(share.any, 3)}</td>
            <td className="num">{fixed(share.tasks * share.any, 1)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Sum / {tasks}</th>
          <td className="num">{tasks}</td>
          <td />
          <td className="num">
            <b>{fixed(all, 3)}</b>
          </td>
          <td />
          <td className="num">
            <b>{fixed(any, 3)}</b>
          </td>
        </tr>
      </tfoot>
    </table>
  </div>
);
