import { tellingTurn } from "#store/recorded-group.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { tally } from "../board/headline.ts";
import { endingText, OutcomeMark } from "../board/outcome.tsx";
import { nameIn } from "../format.ts";
import { useWorkbench } from "../workbench-context.ts";
import { attemptSteps } from "./attempt-steps.ts";
import { startText } from "./request-text.ts";

/** Before a turn is chosen: what was asked, and what each attempt made of it, a line each. Choosing one opens its first turn. */
export default function GroupStory({ entry }: { readonly entry: GroupEntry }) {
  const { view } = useWorkbench();
  const { group, update } = entry;
  const telling = tellingTurn(group);
  return (
    <div className="story">
      <p>
        {tally(entry)} Update {update}.
        <br />
        All {startText(group.first)}.
      </p>
      <ol>
        {group.members.map((member, index) => (
          <li key={nameIn(entry, index)}>
            <button
              className="story-attempt"
              type="button"
              disabled={member.turns.length === 0}
              onClick={() => view.select(entry, { member: index, turn: 0 })}
            >
              <OutcomeMark success={member.success} />
              <b>{nameIn(entry, index)}</b>
              <span className="story-steps" title={attemptSteps(member)}>
                <span className="vh">
                  {member.success ? "worked" : "did not work"}, {endingText(member)}:{" "}
                </span>
                {attemptSteps(member)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <div className="story-way">
        {telling !== null && (
          <button className="btn" type="button" onClick={() => view.select(entry, telling)}>
            Where {nameIn(entry, telling.member)} left the way of those that worked
          </button>
        )}
      </div>
      <p className="note">Choosing a turn here or on the board holds this group while the run goes on.</p>
    </div>
  );
}
