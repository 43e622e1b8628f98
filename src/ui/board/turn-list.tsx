import { useState } from "react";
import type { MemberRecord } from "#run/run-event.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { creditScale } from "#store/selectors.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { memberName, reward } from "../format.ts";
import { Icon } from "../icon.tsx";
import { actionLabel, labelText, observationText } from "./action-label.ts";
import type { SchemeName } from "./credit-scheme.ts";
import { CreditStrip } from "./credit-strip.tsx";
import { endingText, OutcomeMark } from "./outcome.tsx";

interface TurnListProps {
  readonly entry: GroupEntry;
  readonly scheme: SchemeName;
  readonly selection: TurnSelection | null;
  readonly onOpen: (member: number, turn: number) => void;
}

/** Phones: one trajectory at a time, its turns below each other. */
export function TurnList({ entry, scheme, selection, onOpen }: TurnListProps) {
  const [shown, setShown] = useState(selection?.member ?? 0);
  const { members } = entry.group;
  const index = Math.min(shown, members.length - 1);
  const member = members[index];
  if (member === undefined) return null;
  const scale = creditScale(entry);
  return (
    <div className="turns">
      <div className="stepper">
        <StepButton direction="Previous" to={index - 1} members={members} onStep={setShown} />
        <div>
          <h2>
            Trajectory {memberName(index)}, {index + 1} of {members.length}
          </h2>
          <p>
            <OutcomeMark success={member.success} />
            Reward {reward(member.reward)}, {endingText(member)}
          </p>
        </div>
        <StepButton direction="Next" to={index + 1} members={members} onStep={setShown} />
      </div>
      <ol className="turn-list">
        {member.turns.map((turn, at) => {
          const action = actionLabel(turn.action);
          const current = selection?.member === index && selection.turn === at;
          return (
            <li key={`turn-${at}`} className={current ? "turn-card panel is-current" : "turn-card panel"}>
              <h3>
                <Icon name={action.icon} />
                {labelText(action)}
                <span className="note">Turn {at + 1}</span>
              </h3>
              <p>{observationText(turn.observation)}</p>
              <div className="phone-strip">
                <span className="note">{scheme.name.split(" ")[0]}</span>
                <CreditStrip credit={turn.credit} scale={scale} />
              </div>
              <button className="why-link" type="button" aria-label={`Why, turn ${at + 1}: ${labelText(action)}`} onClick={() => onOpen(index, at)} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

interface StepButtonProps {
  readonly direction: "Previous" | "Next";
  readonly to: number;
  readonly members: readonly MemberRecord[];
  readonly onStep: (index: number) => void;
}

function StepButton({ direction, to, members, onStep }: StepButtonProps) {
  return (
    <button
      className="btn btn-icon"
      type="button"
      disabled={to < 0 || to >= members.length}
      aria-label={`${direction} trajectory${members[to] === undefined ? "" : `, ${memberName(to)}`}`}
      onClick={() => onStep(to)}
    >
      <Icon name={direction === "Previous" ? "left" : "right"} />
    </button>
  );
}
