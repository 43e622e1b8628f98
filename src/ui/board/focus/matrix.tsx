import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { MemberRecord } from "#run/run-event.ts";
import { isMismatch, ledgerOf, truthCredits, turnTruth } from "#store/credit-board.ts";
import { nameIn, reward } from "../../format.ts";
import type { BoardModel } from "../../hooks/use-board-model.ts";
import { Icon } from "../../icon.tsx";
import { useWorkbench } from "../../workbench-context.ts";
import { actionLabel, labelText } from "../action-label.ts";
import { ChipArgument } from "../chip-argument.tsx";
import { ChipBoard } from "../chip-board.tsx";
import { rewardNote, schemeName } from "../credit-scheme.ts";
import { CreditStrip, Neq, NoStrip, SkillStrip } from "../credit-strip.tsx";
import { LedgerStrip } from "../ledger.tsx";
import { OutcomeMark } from "../outcome.tsx";
import { shortTruthLabel, truthLabel } from "../truth-label.ts";
import { creditText, truthText } from "../turn-text.ts";
import { leastWidth } from "./matrix-width.ts";
import type { FocusRow } from "./rows.ts";
import { bringIntoView } from "./turn-in-view.ts";

interface MatrixProps {
  readonly model: BoardModel;
  readonly rows: readonly FocusRow[];
  readonly index: number;
  readonly member: MemberRecord;
  /** As many as the longest of its futures has turns. */
  readonly columns: number;
  readonly turn: number;
  readonly onSelect: (member: number, turn: number) => void;
  readonly onOpen: (member: number, turn: number) => void;
}

/** Few turns have room for bars beside their numbers. */
const FEW = 5;

/** Schemes as rows, turns as columns; row 0 are the turns themselves. One tab stop, arrows move inside, what has focus is chosen. */
export function Matrix({ model, rows, index, member, columns, turn, onSelect, onOpen }: MatrixProps) {
  const { board } = useWorkbench();
  const grid = useRef<HTMLTableElement>(null);
  const [row, setRow] = useState(0);
  const { truth, scale } = model;
  const known = truth?.members[index] ?? null;
  const unknown = model.noTruth === null ? "not known yet" : "was not measured";
  const isWhole = known?.turns.length === member.turns.length;
  const name = nameIn(model.entry, index);
  const places = Array.from({ length: columns }, (_, at) => at);
  const last = rows.length + 1;

  // Whoever chose it, a turn beyond the edge, or below what stays at the edges, is scrolled to.
  useEffect(() => {
    const chosen = grid.current?.querySelector<HTMLElement>(`[data-place="0:${turn}"]`);
    if (chosen !== null && chosen !== undefined) bringIntoView(chosen);
  }, [index, turn, columns]);

  const move = (event: KeyboardEvent): void => {
    const to = destination(event.key, { row: Math.min(row, last), turn }, last, member.turns.length - 1);
    if (to === null) return;
    event.preventDefault();
    grid.current?.querySelector<HTMLElement>(`[data-place="${to.row}:${to.turn}"]`)?.focus();
  };
  const cell = (at: number, inRow: number, label: string, content: ReactNode, isWrong = false) =>
    member.turns[at] === undefined ? (
      <td key={at} className="is-empty" role="gridcell" aria-label="no turn" />
    ) : (
      <td key={at} role="gridcell" aria-selected={turn === at} className={isWrong ? "is-neq" : undefined}>
        <button
          className="cell"
          type="button"
          data-place={`${inRow}:${at}`}
          tabIndex={turn === at && row === inRow ? 0 : -1}
          aria-label={label}
          onClick={() => onOpen(index, at)}
          onFocus={() => {
            setRow(inRow);
            onSelect(index, at);
          }}
        >
          {content}
        </button>
      </td>
    );

  return (
    <table
      className={["grid matrix", ...(columns <= FEW ? ["is-few"] : []), ...(leastWidth(columns) !== null ? ["is-wide"] : [])].join(" ")}
      role="grid"
      aria-label={`Credit of trajectory ${name} by scheme and turn`}
      ref={grid}
      onKeyDown={move}
    >
      <colgroup>
        <col className="scheme-column" />
        {places.map((at) => (
          <col key={at} />
        ))}
        <col className="outcome-column" />
      </colgroup>
      <thead>
        <tr>
          <td />
          {places.map((at) => (
            <TurnHead key={at} index={index} name={name} member={member} at={at} isChosen={turn === at} isEntry={turn === at && row === 0} onOpen={onOpen} onFocus={() => {
              setRow(0);
              onSelect(index, at);
            }} />
          ))}
          <th scope="col">
            <span className="ordinal">Ledger</span>
            <span className="outcome">
              <OutcomeMark success={member.success} />
              <span className="vh">Outcome, reward </span>
              {reward(member.reward)}
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        <tr className="truth-row">
          <SchemeHead letter="T" name="Truth" note={known === null ? unknown : shortTruthLabel(known)} title={known === null ? null : truthLabel([known])} />
          {places.map((at) => {
            const skill = turnTruth(truth, { member: index, turn: at });
            return cell(at, 1, `Truth, turn ${at + 1}: ${skill === null ? unknown : truthText(skill)}`, skill === null ? <NoStrip /> : <SkillStrip truth={skill} limit={scale.limit} />);
          })}
          <LedgerCell ledger={known === null || !isWhole ? null : ledgerOf(known, member.success, truthCredits(known))} />
        </tr>
        {rows.map(({ id, config, row: scheme, isExtra }, order) => {
          const { letter, name, variant } = schemeName(config);
          const credits = scheme?.credits[index] ?? null;
          const fitted = scheme?.fitted ?? null;
          return (
            <tr key={id}>
              <SchemeHead letter={letter} name={name} note={`${variant}${rewardNote(id, scheme?.reward ?? "")}`} title={fitted} onRemove={isExtra ? () => board.remove(id) : null} />
              {places.map((at) => {
                const credit = credits?.[at] ?? null;
                const skill = turnTruth(truth, { member: index, turn: at });
                const isWrong = credit !== null && isMismatch(skill, credit);
                const strip = credit === null ? <NoStrip /> : <CreditStrip credit={credit} factor={scale.factor(id)} limit={scale.limit} isWrong={isWrong} />;
                return cell(at, order + 2, `${name}, turn ${at + 1}: ${credit === null ? "not known yet" : `${creditText(null, name, credit)}${isWrong ? ", sign differs from truth" : ""}`}`, (
                  <>
                    {strip}
                    {isWrong && <Neq />}
                  </>
                ), isWrong);
              })}
              <LedgerCell ledger={credits === null || !isWhole ? null : ledgerOf(known, member.success, credits)} />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface TurnHeadProps {
  readonly index: number;
  readonly name: string;
  readonly member: MemberRecord;
  readonly at: number;
  readonly isChosen: boolean;
  readonly isEntry: boolean;
  readonly onOpen: (member: number, turn: number) => void;
  readonly onFocus: () => void;
}

function TurnHead({ index, name, member, at, isChosen, isEntry, onOpen, onFocus }: TurnHeadProps) {
  const turn = member.turns[at];
  const label = turn === undefined ? null : actionLabel(turn.action);
  return (
    <th scope="col" className={turn === undefined ? "turn-cell is-empty" : "turn-cell"} aria-selected={turn === undefined ? undefined : isChosen}>
      <span className="ordinal">Turn {at + 1}</span>
      {label !== null && (
        <button
          className="chip"
          type="button"
          data-cell={`${index}:${at}`}
          data-place={`0:${at}`}
          tabIndex={isEntry ? 0 : -1}
          title={labelText(label)}
          aria-label={`${name}, turn ${at + 1}: ${labelText(label)}`}
          onClick={() => onOpen(index, at)}
          onFocus={onFocus}
        >
          {turn !== undefined && <ChipBoard observation={turn.observation} />}
          <Icon name={label.icon} />
          <span className="chip-words">
            {label.sign !== "" && <span className="chip-verb">{label.sign ?? label.verb}</span>}{" "}
            {label.argument !== "" && <ChipArgument text={label.argument} />}
          </span>
        </button>
      )}
    </th>
  );
}

interface SchemeHeadProps {
  readonly letter: string;
  readonly name: string;
  readonly note: string;
  readonly title?: string | null;
  readonly onRemove?: (() => void) | null;
}

const SchemeHead = ({ letter, name, note, title = null, onRemove = null }: SchemeHeadProps) => (
  <th scope="row" title={title ?? undefined}>
    <span className="scheme-label">
      <span className="code" aria-hidden="true">
        {letter}
      </span>
      <b>{name}</b>
      <small>{note}</small>
      {title !== null && <span className="vh">{title}</span>}
      {onRemove !== null && (
        <button className="btn btn-quiet btn-sm btn-icon" type="button" tabIndex={0} aria-label={`Remove ${name}`} onClick={onRemove}>
          <Icon name="close" />
        </button>
      )}
    </span>
  </th>
);

const LedgerCell = ({ ledger }: { readonly ledger: ReturnType<typeof ledgerOf> }) => (
  <td role="gridcell" className="end-cell">
    {ledger !== null && <LedgerStrip ledger={ledger} />}
  </td>
);

interface Place {
  readonly row: number;
  readonly turn: number;
}

function destination(key: string, { row, turn }: Place, lastRow: number, lastTurn: number): Place | null {
  switch (key) {
    case "ArrowLeft":
      return { row, turn: Math.max(0, turn - 1) };
    case "ArrowRight":
      return { row, turn: Math.min(lastTurn, turn + 1) };
    case "ArrowUp":
      return { row: Math.max(0, row - 1), turn };
    case "ArrowDown":
      return { row: Math.min(lastRow, row + 1), turn };
    case "Home":
      return { row, turn: 0 };
    case "End":
      return { row, turn: lastTurn };
    default:
      return null;
  }
}
