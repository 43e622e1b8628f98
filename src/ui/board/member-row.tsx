import { memo } from "react";
import type { MemberRecord, TurnRecord } from "#run/run-event.ts";
import { memberName, signed } from "../format.ts";
import { Icon } from "../icon.tsx";
import { actionLabel, labelText } from "./action-label.ts";
import { CreditStrip } from "./credit-strip.tsx";
import { endingText, Outcome } from "./outcome.tsx";

export interface MemberRowProps {
  readonly index: number;
  readonly member: MemberRecord;
  readonly columns: number;
  readonly scale: number;
  /** Named beside the credit where there is room. */
  readonly scheme: string | null;
  /** The chosen turn, if it is in this row. */
  readonly selected: number | null;
  /** The turn that takes focus when the grid is entered, if it is in this row. */
  readonly entry: number | null;
  readonly onSelect: (member: number, turn: number) => void;
  /** Also shows its inspector where that is not on screen. */
  readonly onOpen: (member: number, turn: number) => void;
}

export const MemberRow = memo(function MemberRow({ index, member, columns, scale, scheme, selected, entry, onSelect, onOpen }: MemberRowProps) {
  return (
    <tr className={selected === null ? undefined : "is-current"}>
      <th scope="row">
        <span className="who-name">{memberName(index)}</span>
        {scheme !== null && (
          <span className="who-scheme" aria-hidden="true">
            {scheme.split(" ")[0]}
          </span>
        )}
      </th>
      {Array.from({ length: columns }, (_, at) => (
        <TurnCell
          key={`turn-${at}`}
          label={`${memberName(index)}, turn ${at + 1}`}
          turn={member.turns[at]}
          scale={scale}
          isSelected={selected === at}
          isEntry={entry === at}
          cell={`${index}:${at}`}
          onSelect={() => onSelect(index, at)}
          onOpen={() => onOpen(index, at)}
        />
      ))}
      <td>
        <Outcome member={member} />
        <span className="outcome-note">{endingText(member)}</span>
      </td>
    </tr>
  );
});

interface TurnCellProps {
  readonly label: string;
  /** Undefined where the episode had ended. */
  readonly turn: TurnRecord | undefined;
  readonly scale: number;
  readonly isSelected: boolean;
  readonly isEntry: boolean;
  readonly cell: string;
  readonly onSelect: () => void;
  readonly onOpen: () => void;
}

function TurnCell({ label, turn, scale, isSelected, isEntry, cell, onSelect, onOpen }: TurnCellProps) {
  if (turn === undefined) return <td className="turn-cell is-empty" role="gridcell" aria-label="no turn" />;
  const action = actionLabel(turn.action);
  return (
    <td className="turn-cell" role="gridcell" aria-selected={isSelected}>
      <button
        className="chip"
        type="button"
        data-cell={cell}
        tabIndex={isEntry ? 0 : -1}
        title={labelText(action)}
        aria-label={`${label}: ${labelText(action)}, credit ${signed(turn.credit)}`}
        onClick={onOpen}
        onFocus={onSelect}
      >
        <Icon name={action.icon} />
        <span className="chip-words">
          <span className="chip-verb">{action.verb}</span>
          {action.argument !== "" && <span className="chip-argument">{action.argument}</span>}
        </span>
      </button>
      <CreditStrip credit={turn.credit} scale={scale} />
    </td>
  );
}
