import { useId, useState } from "react";
import { canonical } from "#core/json.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import type { TurnRecord } from "#run/run-event.ts";
import type { Choices as OpenChoices, ForkEdit } from "#store/fork-store.ts";
import { fixed, sentence } from "../../format.ts";
import { useBoard, useWorkbench } from "../../workbench-context.ts";
import { editText } from "./edit-text.ts";

interface ChoicesProps {
  readonly open: OpenChoices;
  readonly turn: TurnRecord;
}

interface Option {
  readonly edit: ForkEdit;
  readonly probability: number;
  readonly isRecorded: boolean;
}

const keyOf = (value: Action | Observation): string => canonical({ ...value });
const keyOfEdit = (edit: ForkEdit): string => `${edit.kind} ${keyOf(edit.kind === "action" ? edit.action : edit.observation)}`;

/** So many of the likeliest are listed at first. */
const FIRST = 8;

/** What could have been there instead, with its probability; what to do with the chosen one. */
export function Choices({ open, turn }: ChoicesProps) {
  const { forks } = useWorkbench();
  const given = useBoard((board) => board.given);
  const name = useId();
  const [kind, setKind] = useState<ForkEdit["kind"]>(open.chosen.kind);
  const [isWhole, setIsWhole] = useState(false);
  const { options, error, chosen } = open;
  const actions: readonly Option[] = (options?.actions ?? []).map(({ action, probability }) => ({
    edit: { kind: "action", action }, probability, isRecorded: keyOf(action) === keyOf(turn.action),
  }));
  const answers: readonly Option[] = (options?.answers ?? []).map(({ observation, probability }) => ({
    edit: { kind: "answer", observation }, probability, isRecorded: keyOf(observation) === keyOf(turn.observation),
  }));
  const all = kind === "action" ? actions : answers;
  const likely = all.filter((option, index) => index < FIRST || option.isRecorded || keyOfEdit(option.edit) === keyOfEdit(chosen));
  const shown = isWhole ? all : likely;
  const choose = (next: ForkEdit["kind"]): void => {
    setKind(next);
    const first = (next === "action" ? actions : answers).find(({ isRecorded }) => isRecorded) ?? (next === "action" ? actions : answers)[0];
    if (first !== undefined) forks.choose(first.edit);
  };
  return (
    <div className="fork-choices">
      <div className="segments" role="group" aria-label="What is changed">
        <button type="button" aria-pressed={kind === "action"} onClick={() => choose("action")}>
          Another action
        </button>
        <button type="button" aria-pressed={kind === "answer"} disabled={answers.length === 0} onClick={() => choose("answer")}>
          Another answer
        </button>
      </div>
      {error !== null && <p role="alert">{sentence(error.message)}</p>}
      {options === null && error === null && (
        <p className="note" role="status">
          Finding out what else could have been…
        </p>
      )}
      {shown.length > 0 && (
        <fieldset key={kind} className="fork-options">
          <legend className="vh">{kind === "action" ? "Action at this turn, with its probability under the policy" : "Answer to the action, with its probability"}</legend>
          {shown.map(({ edit, probability, isRecorded }) => (
            <label key={keyOfEdit(edit)} className="fork-option">
              <input type="radio" name={name} checked={keyOfEdit(chosen) === keyOfEdit(edit)} onChange={() => forks.choose(edit)} />
              <span className="fork-option-name">
                {editText(edit).replace(/^answer /, "")}
                {isRecorded && <small> recorded</small>}
              </span>
              <svg className="prob" aria-hidden="true">
                <rect className="prob-track" width="100%" height="8" />
                <rect className="prob-fill" width={`${(100 * probability).toFixed(1)}%`} height="8" />
              </svg>
              <span className="fork-option-p">{probability > 0 && probability < 0.005 ? "<0.01" : fixed(probability)}</span>
            </label>
          ))}
        </fieldset>
      )}
      {all.length > likely.length && !isWhole && (
        <button className="btn btn-quiet btn-sm" type="button" onClick={() => setIsWhole(true)}>
          {all.length - likely.length} less likely
        </button>
      )}
      <div className="actions">
        <button className="btn btn-sm" type="button" disabled={options === null} title="One other future beside the recorded one, with the same things behind the scenes" onClick={() => forks.fork(1, "state")}>
          Run once
        </button>
        <button className="btn btn-sm" type="button" disabled={options === null} title={`64 futures (B), ${given === "state" ? "with the same things behind the scenes" : "each with one of the ways things may be behind the scenes"}`} onClick={() => forks.fork(64, given)}>
          Run ×64
        </button>
        <button className="btn btn-sm" type="button" disabled={options === null} title="One other future in place of the recorded one" onClick={() => forks.rewind()}>
          Rewind
        </button>
      </div>
    </div>
  );
}
