import { useEffect, useRef, type ReactNode } from "react";
import type { MemberRecord, TurnRecord } from "#run/run-event.ts";
import { turnTruth } from "#store/credit-board.ts";
import type { Future } from "#store/fork-store.ts";
import { fixed, reward, sentence } from "../../format.ts";
import type { BoardModel } from "../../hooks/use-board-model.ts";
import { Icon } from "../../icon.tsx";
import { useWorkbench } from "../../workbench-context.ts";
import { actionLabel, labelText, observationText } from "../action-label.ts";
import { OutcomeMark } from "../outcome.tsx";
import { editText } from "./edit-text.ts";

interface FuturesProps {
  readonly futures: readonly Future[];
  readonly recorded: MemberRecord;
  readonly columns: number;
  readonly model: BoardModel;
  readonly member: number;
}

/** The recorded trajectory and its other futures, in the same columns. */
export function Futures({ futures, recorded, columns, model, member }: FuturesProps) {
  const table = useRef<HTMLTableElement>(null);
  const newest = `${futures.length} ${futures.at(-1)?.outcome.kind}`;
  const seen = useRef(newest);
  // What was run just now is brought into view; what was there when the fork was opened is not.
  useEffect(() => {
    if (seen.current !== newest) table.current?.querySelector("tbody tr:last-child")?.scrollIntoView({ block: "nearest" });
    seen.current = newest;
  }, [newest]);
  if (futures.length === 0) return null;
  const first = Math.min(...futures.map(({ at }) => at.turn));
  const places = Array.from({ length: columns }, (_, at) => at);
  return (
    <table className="tree" ref={table} aria-label="The recorded future and the others">
      <colgroup>
        <col className="scheme-column" />
        {places.map((at) => (
          <col key={at} />
        ))}
        <col className="outcome-column" />
      </colgroup>
      <thead className="vh">
        <tr>
          <th scope="col">Future</th>
          {places.map((at) => (
            <th key={at} scope="col">
              Turn {at + 1}
            </th>
          ))}
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <FutureHead name="Recorded" note={`update ${model.entry.update}`} />
          {places.map((at) => (
            <TurnPlace key={at} turn={recorded.turns[at]} isPale={at >= first} isFork={at === first} isChanged={false} />
          ))}
          <OutcomeCell record={recorded} />
        </tr>
        {futures.map((future, index) => (
          <FutureRow key={future.id} future={future} number={index + 1} places={places} model={model} member={member} />
        ))}
      </tbody>
    </table>
  );
}

interface FutureRowProps {
  readonly future: Future;
  readonly number: number;
  readonly places: readonly number[];
  readonly model: BoardModel;
  readonly member: number;
}

function FutureRow({ future, number, places, model, member }: FutureRowProps) {
  const { at: { turn }, outcome, count, edit } = future;
  const before = places.filter((place) => place < turn).map((place) => <td key={place} className="is-past" />);
  const width = places.length - turn;
  const note = `${editText(edit)}, ${count === 1 ? "run once" : `run ×${count}`}`;
  if (outcome.kind !== "done") {
    return (
      <tr>
        <FutureHead name={`Future ${number}`} note={note} />
        {before}
        <td colSpan={width} className="is-fork">
          <span className="note" role="status">
            {outcome.kind === "running" ? "running…" : sentence(outcome.error.message)}
          </span>
        </td>
        <EndCell future={future} number={number} />
      </tr>
    );
  }
  const { result } = outcome;
  const record = result.records[0];
  if (count === 1 && record !== undefined) {
    return (
      <tr className="is-new">
        <FutureHead name={`Future ${number}`} note={note} />
        {before}
        {places.slice(turn).map((at) => (
          <TurnPlace key={at} turn={record.turns[at]} isPale={false} isFork={at === turn} isChanged={at === turn} />
        ))}
        <EndCell future={future} number={number}>
          <OutcomeMark success={record.success} />
          {reward(record.reward)}
        </EndCell>
      </tr>
    );
  }
  const taken = model.entry.group.members[member]?.turns[turn];
  const truth = turnTruth(model.truth, { member, turn });
  const isTaken = edit.kind === "action" && taken !== undefined && labelText(actionLabel(taken.action)) === labelText(actionLabel(edit.action));
  const exact = isTaken && truth !== null && model.truth?.given === future.given ? truth.actionValue : null;
  return (
    <tr className="is-new">
      <FutureHead name={`Future ${number}`} note={note} />
      {before}
      <td colSpan={width} className="is-fork">
        <ShareBar share={result.successes / result.count} interval={result.interval} exact={exact} />
      </td>
      <EndCell future={future} number={number}>
        <b>{fixed(result.successes / result.count)}</b>
        <small>
          {result.successes} of {result.count}
        </small>
      </EndCell>
    </tr>
  );
}

const FutureHead = ({ name, note }: { readonly name: string; readonly note: string }) => (
  <th scope="row">
    <b>{name}</b>
    <small title={note}>{note}</small>
  </th>
);

interface TurnPlaceProps {
  readonly turn: TurnRecord | undefined;
  readonly isPale: boolean;
  readonly isFork: boolean;
  readonly isChanged: boolean;
}

function TurnPlace({ turn, isPale, isFork, isChanged }: TurnPlaceProps) {
  if (turn === undefined) return <td className="is-past" />;
  const label = actionLabel(turn.action);
  const classes = ["chip", "is-plain", ...(isPale ? ["is-pale"] : []), ...(isChanged ? ["is-changed"] : [])];
  return (
    <td className={isFork ? "is-fork" : undefined}>
      <span className={classes.join(" ")} title={`${labelText(label)}: ${observationText(turn.observation)}`}>
        <Icon name={label.icon} />
        <span className="chip-words">
          <span className="chip-verb">{label.verb}</span>
          {label.argument !== "" && <span className="chip-argument">{label.argument}</span>}
        </span>
      </span>
    </td>
  );
}

const OutcomeCell = ({ record }: { readonly record: MemberRecord }) => (
  <td className="tree-end">
    <OutcomeMark success={record.success} />
    {reward(record.reward)}
  </td>
);

function EndCell({ future, number, children }: { readonly future: Future; readonly number: number; readonly children?: ReactNode }) {
  const { forks } = useWorkbench();
  return (
    <td className="tree-end">
      {children}
      <button className="btn btn-quiet btn-sm btn-icon" type="button" aria-label={`Discard future ${number}`} onClick={() => forks.discard(future.id)}>
        <Icon name="close" />
      </button>
    </td>
  );
}

interface ShareBarProps {
  readonly share: number;
  readonly interval: readonly [number, number];
  /** What it is an estimate of, where that is known. */
  readonly exact: number | null;
}

const at = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** Success from 0 to 1, with its 95 % interval. */
function ShareBar({ share, interval: [low, high], exact }: ShareBarProps) {
  return (
    <div className="branch-share">
      <svg className="share-bar" aria-hidden="true">
        <rect className="share-track" y="4" width="100%" height="12" />
        <rect className="share-fill" y="4" width={at(share)} height="12" />
        <line className="share-interval" x1={at(low)} x2={at(high)} y1="10" y2="10" />
        <line className="share-interval" x1={at(low)} x2={at(low)} y1="6" y2="14" />
        <line className="share-interval" x1={at(high)} x2={at(high)} y1="6" y2="14" />
        {exact !== null && <line className="share-exact" x1={at(exact)} x2={at(exact)} y1="0" y2="20" />}
      </svg>
      <small>
        {fixed(low)} to {fixed(high)}
        {exact !== null && `, truth ${fixed(exact)}`}
      </small>
    </div>
  );
}
