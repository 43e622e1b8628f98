import { useMemo } from "react";
import type { RetailDatabase } from "#environments/tau-retail/database.ts";
import { replay } from "#environments/tau-retail/replay.ts";
import type { RetailTask } from "#environments/tau-retail/tasks.ts";
import { Icon } from "../icon.tsx";
import { CallView, Observation } from "./call-view.tsx";
import { cases, useCases } from "./cases.ts";
import { Changes } from "./changes.tsx";

interface ReplayViewProps {
  readonly database: RetailDatabase;
  readonly task: RetailTask;
}

/** The reference actions one after the other, with what came back and what each did to the database. */
export function ReplayView({ database, task }: ReplayViewProps) {
  const step = useCases((state) => state.step);
  const steps = useMemo(() => replay(database, task.actions), [database, task]);
  const current = steps[step - 1];
  return (
    <div className="case-replay">
      <div className="case-bar">
        <button className="btn" type="button" disabled={step === 0} onClick={() => cases.goTo(step - 1)}>
          <Icon name="left" />
          Back
        </button>
        <button className="btn btn-primary" type="button" disabled={step === steps.length} onClick={() => cases.goTo(step + 1)}>
          <Icon name="step" />
          Next action
        </button>
        <button className="btn" type="button" disabled={step === steps.length} onClick={() => cases.goTo(steps.length)}>
          To the end
        </button>
        <p aria-live="polite">
          {steps.length === 0 ? "The reference does nothing" : `Action ${step} of ${steps.length}`}
        </p>
      </div>
      {steps.length > 1 && (
        <ol className="case-steps">
          {steps.map(({ call, failed }, place) => (
            // oxlint-disable-next-line react/no-array-index-key
            <li key={place}>
              <button type="button" aria-current={place === step - 1 ? "step" : undefined} onClick={() => cases.goTo(place + 1)}>
                {place + 1} {call.name}
                {failed && <Icon name="warning" />}
                {failed && <span className="vh"> refused</span>}
              </button>
            </li>
          ))}
        </ol>
      )}
      {current === undefined ? (
        steps.length > 0 && <p className="note">Nothing is done yet: the database is as it was opened.</p>
      ) : (
        <>
          <h3>
            <span className="role role-policy" aria-hidden="true" />
            Call
          </h3>
          <CallView call={current.call} />
          <h3>
            <span className="role role-env" aria-hidden="true" />
            What came back{current.failed && " (refused)"}
          </h3>
          <Observation text={current.observation} label="What the tool returned" />
          <h3>
            <span className="role role-env" aria-hidden="true" />
            What it did to the database
          </h3>
          <Changes before={current.before} after={current.after} />
        </>
      )}
    </div>
  );
}
