import type { MemberRecord } from "#run/run-event.ts";
import { words } from "../format.ts";
import { useWorkbench } from "../workbench-context.ts";
import { PARTICIPANTS, PHASES, phasesOf, sequenceOf, type Message, type Participant } from "./sequence.ts";
import type { TabProps } from "./tabs.ts";

/** The attempt as messages between those who take part, and where in an episode's course the chosen turn stands. */
export default function SequenceTab({ entry, selection, selected: { member } }: TabProps) {
  const { view } = useWorkbench();
  return (
    <>
      <Lifecycle member={member} turn={selection.turn} />
      <section className="sequence">
        <h3>Messages</h3>
        <div className="lifelines-head" aria-hidden="true">
          {PARTICIPANTS.map((name) => (
            <span key={name}>
              <span className={`role ${ROLES[name]}`} />
              {words(name)}
            </span>
          ))}
        </div>
        <ol>
          {sequenceOf(entry.group, member).map((message, index) => (
            <li key={index}>
              <button
                className="message-row"
                type="button"
                aria-current={message.turn === selection.turn ? "true" : undefined}
                onClick={() => view.select(entry, { ...selection, turn: message.turn })}
              >
                <Arrow message={message} />
                <span className="vh">
                  Turn {message.turn + 1}, {message.phase}, {message.from} to {message.to}:{" "}
                </span>
                <span className="message-text">
                  {message.phase === "act" && <b aria-hidden="true">{message.turn + 1}</b>}
                  {message.text}
                </span>
              </button>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

const ROLES: Readonly<Record<Participant, string>> = {
  policy: "role-policy",
  harness: "role-harness",
  tools: "role-env",
  customer: "role-env",
  verifier: "role-verifier",
};

const lifeline = (name: Participant): number => 10 + 20 * PARTICIPANTS.indexOf(name);

/** Where the arrow lies, below its text. */
const ROW = 26;

/** The lifelines at one message, and the message across them; a dot where the harness passes it on. */
function Arrow({ message: { from, to } }: { readonly message: Message }) {
  const [start, end] = [lifeline(from), lifeline(to)];
  const harness = lifeline("harness");
  const passes = Math.min(start, end) < harness && harness < Math.max(start, end);
  return (
    <svg className="arrow" aria-hidden="true">
      {PARTICIPANTS.map((name) => (
        <line key={name} className="lifeline" x1={`${lifeline(name)}%`} x2={`${lifeline(name)}%`} y1="0" y2="100%" />
      ))}
      {start === end ? (
        <circle className="arrow-head" cx={`${start}%`} cy={ROW} r="3.5" />
      ) : (
        <>
          <line className="arrow-line" x1={`${start}%`} x2={`${end}%`} y1={ROW} y2={ROW} />
          <svg className="arrow-end" x={`${end}%`} y={ROW}>
            <path className="arrow-head" d={end > start ? "M0 0l-7-4v8z" : "M0 0l7-4v8z"} />
          </svg>
        </>
      )}
      {passes && <circle className="arrow-pass" cx={`${harness}%`} cy={ROW} r="3" />}
    </svg>
  );
}

function Lifecycle({ member, turn }: { readonly member: MemberRecord; readonly turn: number }) {
  const lit = phasesOf(member, turn);
  const isLast = turn === member.turns.length - 1;
  return (
    <section>
      <h3>
        Course of the attempt{" "}
        <span className="note">
          turn {turn + 1} of {member.turns.length}
        </span>
      </h3>
      <ol className="lifecycle">
        {PHASES.map((phase) => (
          <li key={phase} className={lit.has(phase) ? "phase is-lit" : "phase"}>
            {phase}
            {lit.has(phase) && <span className="vh">, this turn</span>}
          </li>
        ))}
      </ol>
      <p className="lifecycle-loop" aria-hidden="true">
        until it ends
      </p>
      <p className="lifecycle-note">
        {isLast ? "This turn ended the attempt: its database was judged and the reward paid." : "After this turn the policy read what came back and took its next turn."}
      </p>
    </section>
  );
}
