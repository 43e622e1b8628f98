import { useId, useState, type FormEvent } from "react";
import type { RetailDatabase } from "#environments/tau-retail/database.ts";
import type { RetailTask } from "#environments/tau-retail/tasks.ts";
import { isOver, movesOf, type Move } from "#store/cases-store.ts";
import { Icon } from "../icon.tsx";
import { CallView, Observation } from "./call-view.tsx";
import { cases, useCases } from "./cases.ts";
import { Changes } from "./changes.tsx";
import { ToolForm } from "./tool-form.tsx";
import { VerdictView } from "./verdict-view.tsx";

interface ActViewProps {
  readonly database: RetailDatabase;
  readonly task: RetailTask;
}

/** A person takes the agent's seat: tools through forms, messages to the customer, and the customer's answers. */
export function ActView({ database, task }: ActViewProps) {
  const moves = useCases(movesOf);
  const [isJudged, setJudged] = useState(false);
  const over = isOver(moves);
  return (
    <div className="case-act">
      <div className="case-forms">
        <ToolForm disabled={over} />
        <SayForm disabled={over} />
      </div>
      <div className="case-log">
        <div className="case-bar">
          <button className="btn" type="button" disabled={moves.length === 0} onClick={() => cases.undo()}>
            Undo
          </button>
          <button className="btn" type="button" disabled={moves.length === 0} onClick={() => cases.restart()}>
            <Icon name="reset" />
            Start over
          </button>
          <button className="btn" type="button" aria-pressed={isJudged} onClick={() => setJudged(!isJudged)}>
            Verdict
          </button>
          <p aria-live="polite">{over ? "Handed over: the episode is over" : moves.length === 1 ? "1 move" : `${moves.length} moves`}</p>
        </div>
        {isJudged && <VerdictView database={database} task={task} moves={moves} />}
        {moves.length === 0 && <p className="note">Begin by finding out who the customer is.</p>}
        <ol className="case-moves">
          {moves
            .map((move, place) => (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={place}>
                <MoveView move={move} place={place} />
              </li>
            ))
            .toReversed()}
        </ol>
      </div>
    </div>
  );
}

function MoveView({ move: { event, before, after }, place }: { readonly move: Move; readonly place: number }) {
  if (event.kind === "said") {
    return (
      <>
        <h3>
          <span className={event.by === "agent" ? "role role-policy" : "role role-env"} aria-hidden="true" />
          {place + 1}. {event.by === "agent" ? "You to the customer" : "The customer"}
        </h3>
        <p className="case-said">{event.text}</p>
      </>
    );
  }
  return (
    <>
      <h3>
        <span className="role role-policy" aria-hidden="true" />
        {place + 1}. {event.call.name}
        {event.failed && " (refused)"}
      </h3>
      <CallView call={event.call} />
      <Observation text={event.observation} label={`What move ${place + 1} returned`} />
      {before !== after && <Changes before={before} after={after} />}
    </>
  );
}

/** There is no simulated customer: whoever acts as the agent writes the customer's answers too, from the instruction. */
function SayForm({ disabled }: { readonly disabled: boolean }) {
  const [text, setText] = useState("");
  const id = useId();
  const say = (by: "agent" | "customer"): void => {
    if (text.trim() === "") return;
    cases.say(by, text);
    setText("");
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    say("agent");
  };
  return (
    <form className="case-form" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>Message</label>
        <textarea className="input case-lines" id={id} rows={2} value={text} aria-describedby={`${id}-help`} onChange={(event) => setText(event.target.value)} />
        <span className="field-help" id={`${id}-help`}>
          No customer is simulated: answer in the customer’s place from the instruction.
        </span>
      </div>
      <div className="case-bar">
        <button className="btn" type="submit" disabled={disabled}>
          Say to the customer
        </button>
        <button className="btn" type="button" disabled={disabled} onClick={() => say("customer")}>
          Customer answers
        </button>
      </div>
    </form>
  );
}
