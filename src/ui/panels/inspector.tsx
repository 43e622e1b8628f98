import type { RunConfig } from "#run/run-config.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { creditScale, selectedTurn, type SelectedTurn } from "#store/selectors.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { actionLabel, labelText, observationLines } from "../board/action-label.ts";
import { schemeName } from "../board/credit-scheme.ts";
import { CreditStrip } from "../board/credit-strip.tsx";
import { memberName } from "../format.ts";
import { Icon } from "../icon.tsx";
import { ChosenTokens } from "../inspector/chosen-tokens.tsx";
import { SeenTokens } from "../inspector/seen-tokens.tsx";
import { VerdictList } from "../inspector/verdict-list.tsx";
import { useDraft, useRun, useView, useWorkbench } from "../workbench-context.ts";

/** One turn, in full: what the policy saw, what it chose, what came back, how it was judged. */
export function InspectorPanel() {
  const { held, selection } = useView((view) => view);
  const selected = selectedTurn(held, selection);
  if (held === null || selection === null || selected === null) return <EmptyInspector />;
  return <Turn entry={held} selection={selection} selected={selected} />;
}

const EmptyInspector = () => (
  <>
    <div className="why-head">
      <div className="why-title">
        <h2>Why?</h2>
      </div>
    </div>
    <div className="why-empty">
      <p>Choose a turn on the board. The board then holds its group, and this column shows:</p>
      <ul>
        <li>
          <span className="role role-env" />
          the exact tokens the policy saw, its own marked
        </li>
        <li>
          <span className="role role-policy" />
          what it chose, token by token, with log-probabilities
        </li>
        <li>
          <span className="role role-env" />
          what came back
        </li>
        <li>
          <span className="role role-verifier" />
          which checks decided the reward
        </li>
      </ul>
    </div>
  </>
);

interface TurnProps {
  readonly entry: GroupEntry;
  readonly selection: TurnSelection;
  readonly selected: SelectedTurn;
}

function Turn({ entry, selection, selected: { member, turn } }: TurnProps) {
  const tokens = member.sequences[turn.sequence] ?? [];
  return (
    <>
      <div className="why-head">
        <div className="why-title">
          <h2>
            Why?{" "}
            <span>
              {memberName(selection.member)}, turn {selection.turn + 1}: {labelText(actionLabel(turn.action))}
            </span>
          </h2>
          <TurnButton entry={entry} to={{ ...selection, turn: selection.turn - 1 }} label="Previous turn" icon="left" />
          <TurnButton entry={entry} to={{ ...selection, turn: selection.turn + 1 }} label="Next turn" icon="right" />
        </div>
      </div>
      {/* Scrolls, so it can be reached by keyboard. */}
      <div className="why-body" tabIndex={0} role="group" aria-label="The turn in full">
        <section>
          <h3>
            <span className="role role-env" />
            What it saw <span className="note">{turn.start} tokens</span>
          </h3>
          <SeenTokens tokens={tokens} end={turn.start} />
        </section>
        <section>
          <h3>
            <span className="role role-policy" />
            What it chose <span className="note">log-probability in nats</span>
          </h3>
          <ChosenTokens tokens={tokens.slice(turn.start, turn.end)} />
        </section>
        <section>
          <h3>
            <span className="role role-env" />
            What came back <span className="note">{turn.observation.kind}</span>
          </h3>
          <dl className="message">
            {observationLines(turn.observation).map(([name, text]) => (
              <Line key={name} name={name} text={text} />
            ))}
          </dl>
        </section>
        <CreditSection entry={entry} credit={turn.credit} />
        <section>
          <h3>
            <span className="role role-verifier" />
            Verdict
          </h3>
          <VerdictList member={member} />
        </section>
      </div>
    </>
  );
}

const Line = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{text}</dd>
  </>
);

function CreditSection({ entry, credit }: { readonly entry: GroupEntry; readonly credit: number }) {
  const edited: RunConfig = useDraft((draft) => draft.config);
  const config = useRun("board", (run) => run.config) ?? edited;
  const scheme = schemeName(config.algorithm.credit);
  return (
    <section>
      <h3>
        <span className="role role-credit" />
        Credit <span className="note">{scheme.variant}</span>
      </h3>
      <div className="credit-line">
        <span className="code" aria-hidden="true">
          {scheme.letter}
        </span>
        {scheme.name}
        <CreditStrip credit={credit} scale={creditScale(entry)} />
      </div>
    </section>
  );
}

interface TurnButtonProps {
  readonly entry: GroupEntry;
  readonly to: TurnSelection;
  readonly label: string;
  readonly icon: "left" | "right";
}

function TurnButton({ entry, to, label, icon }: TurnButtonProps) {
  const { view } = useWorkbench();
  return (
    <button
      className="btn btn-quiet btn-sm btn-icon"
      type="button"
      aria-label={label}
      disabled={selectedTurn(entry, to) === null}
      onClick={() => view.select(entry, to)}
    >
      <Icon name={icon} />
    </button>
  );
}
