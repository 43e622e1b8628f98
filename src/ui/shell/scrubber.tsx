import { useShallow } from "zustand/shallow";
import type { RunState } from "#store/run-state.ts";
import { useDraft, useRun, useView, useWorkbench } from "../workbench-context.ts";
import { Weights } from "./weights.tsx";

/** Where something happened on the way. */
interface Marks {
  readonly evaluations: readonly number[];
  /** Where the weights are kept. */
  readonly checkpoints: readonly number[];
  /** What was being computed when the run broke down. */
  readonly failed: number | null;
}

/** Back and forth through the updates: by dragging, by keys, by buttons. Pale is not computed yet, dark is before what is shown. */
export function Scrubber() {
  const { scrubber } = useWorkbench();
  const edited = useDraft((draft) => draft.config.updates);
  const at = useView((view) => view.at);
  const { update, total, hasGroups, heldout, checkpoints, failed } = useRun(
    "transport",
    useShallow(({ update, config, groups, heldout, restorable, failedAt }: RunState) => ({
      update, total: config?.updates ?? null, hasGroups: groups.length > 0, heldout, checkpoints: restorable, failed: failedAt,
    })),
  );
  const updates = total ?? edited;
  const shown = Math.min(at ?? update, updates);
  const marks: Marks = { evaluations: heldout.map((point) => point.update), checkpoints, failed };
  return (
    <div className="scrubber" role="group" aria-label="Scrubber">
      <StepButton by={-10} isEnabled={hasGroups && shown > 0} />
      <StepButton by={-1} isEnabled={hasGroups && shown > 0} />
      <div className="scrub">
        <progress aria-label="Updates done" max={updates} value={update} />
        <Ticks marks={marks} shown={shown} updates={updates} />
        <input
          type="range"
          aria-label="Update shown"
          aria-valuetext={valueText(shown, updates, marks)}
          min={0}
          max={updates}
          value={shown}
          disabled={!hasGroups}
          onChange={(event) => scrubber.to(Number(event.target.value))}
        />
        <p className="scrub-legend" aria-hidden="true">
          <span>
            <svg className="tick" viewBox="-4 -4 8 8">
              <circle r="3" />
            </svg>
            evaluation
          </span>
          <span>
            <svg className="tick" viewBox="-5 -5 10 10">
              <path className="tick-kept" d="M0-4V4" />
            </svg>
            checkpoint
          </span>
          {failed !== null && (
            <span>
              <svg className="tick" viewBox="-5 -5 10 10">
                <path className="tick-failed" d={CROSS} />
              </svg>
              failed at {failed}
            </span>
          )}
          <span className="push">{updates}</span>
        </p>
      </div>
      <StepButton by={1} isEnabled={hasGroups && shown < update} />
      <StepButton by={10} isEnabled={hasGroups && shown < update} />
      <Weights shown={shown} />
    </div>
  );
}

const CROSS = "M-4-4 4 4M4-4-4 4";

function valueText(update: number, updates: number, { evaluations, checkpoints }: Marks): string {
  const marks = [["evaluation", evaluations], ["checkpoint", checkpoints]] as const;
  const here = marks.flatMap(([word, at]) => (at.includes(update) ? [word] : []));
  return `update ${update} of ${updates}${here.length === 0 ? "" : `, ${here.join(", ")}`}`;
}

interface TicksProps {
  readonly marks: Marks;
  readonly shown: number;
  readonly updates: number;
}

function Ticks({ marks: { evaluations, checkpoints, failed }, shown, updates }: TicksProps) {
  const place = (update: number): string => `${((100 * update) / updates).toFixed(2)}%`;
  return (
    <svg className="ticks" aria-hidden="true">
      <rect className="ticks-before" width={place(shown)} height="4" y="18" />
      {checkpoints.map((update) => (
        <line key={update} className="tick-kept" x1={place(update)} x2={place(update)} y1="25" y2="30" />
      ))}
      {evaluations.map((update) => (
        <svg key={update} className="tick" x={place(update)} y="8">
          <circle r="3" />
        </svg>
      ))}
      {failed !== null && (
        <svg className="tick" x={place(failed)} y="20">
          <path className="tick-failed" d={CROSS} />
        </svg>
      )}
    </svg>
  );
}

function StepButton({ by, isEnabled }: { readonly by: -10 | -1 | 1 | 10; readonly isEnabled: boolean }) {
  const { scrubber } = useWorkbench();
  const size = Math.abs(by);
  const label = `${by < 0 ? "Back" : "Forward"} ${size} ${size === 1 ? "update" : "updates"}`;
  return (
    <button className={`btn btn-quiet btn-sm step-${size}`} type="button" aria-label={label} title={label} disabled={!isEnabled} onClick={() => scrubber.by(by)}>
      {by < 0 ? "−" : "+"}
      {size}
    </button>
  );
}
