import { memo } from "react";
import type { MemberTruthRecord } from "#run/assessment.ts";
import { isMismatch, ledgerOf, truthCredits } from "#store/credit-board.ts";
import type { MemberRecord, TurnRecord } from "#run/run-event.ts";
import { Icon } from "../icon.tsx";
import { actionLabel, labelText } from "./action-label.ts";
import type { SchemeName } from "./credit-scheme.ts";
import { ChipArgument } from "./chip-argument.tsx";
import { ChipBoard } from "./chip-board.tsx";
import { CreditStrip, Neq, NoStrip, SkillStrip } from "./credit-strip.tsx";
import { LedgerStrip } from "./ledger.tsx";
import { endingText, Outcome } from "./outcome.tsx";
import { creditText } from "./turn-text.ts";

export interface MemberRowProps {
  readonly index: number;
  readonly name: string;
  readonly member: MemberRecord;
  readonly columns: number;
  /** Null where it is not shown. */
  readonly truth: MemberTruthRecord | null;
  readonly isTruthShown: boolean;
  /** [turns]; null where truth stands alone. */
  readonly credits: readonly number[] | null;
  readonly scheme: SchemeName | null;
  readonly factor: number;
  readonly limit: number;
  readonly onlyMismatches: boolean;
  /** The chosen turn, if it is in this row. */
  readonly selected: number | null;
  /** The turn that takes focus when the grid is entered, if it is in this row. */
  readonly entry: number | null;
  readonly onSelect: (member: number, turn: number) => void;
  /** Also shows its inspector where that is not on screen. */
  readonly onOpen: (member: number, turn: number) => void;
}

export const MemberRow = memo(function MemberRow(props: MemberRowProps) {
  const { name, member, columns, truth, isTruthShown, credits, scheme, selected } = props;
  const isWhole = truth?.turns.length === member.turns.length;
  const closing = truth === null || !isWhole ? null : ledgerOf(truth, member.success, truthCredits(truth));
  const ledger = credits === null || !isWhole ? null : ledgerOf(truth, member.success, credits);
  return (
    <tr className={selected === null ? undefined : "is-current"}>
      <th scope="row">
        <span className="who-name">{name}</span>
        {isTruthShown && (
          <span className="who-scheme is-truth" aria-hidden="true">
            Truth
          </span>
        )}
        {scheme !== null && (
          <span className="who-scheme" aria-hidden="true">
            {scheme.short}
          </span>
        )}
      </th>
      {Array.from({ length: columns }, (_, at) => (
        <TurnCell key={`turn-${at}`} {...props} at={at} turn={member.turns[at]} />
      ))}
      <td className="end-cell">
        <div className="end-outcome" title={endingText(member)}>
          <Outcome member={member} />
          <span className={member.ending === "truncated" ? "outcome-note" : "vh"}>{endingText(member)}</span>
        </div>
        {isTruthShown && closing !== null && <LedgerStrip ledger={closing} />}
        {scheme !== null && ledger !== null && <LedgerStrip ledger={ledger} />}
      </td>
    </tr>
  );
});

interface TurnCellProps extends MemberRowProps {
  readonly at: number;
  /** Undefined where the episode had ended. */
  readonly turn: TurnRecord | undefined;
}

function TurnCell({ index, name, at, turn, truth, isTruthShown, credits, scheme, factor, limit, onlyMismatches, selected, entry, onSelect, onOpen }: TurnCellProps) {
  if (turn === undefined) return <td className="turn-cell is-empty" role="gridcell" aria-label="no turn" />;
  const action = actionLabel(turn.action);
  const skill = truth?.turns[at] ?? null;
  const credit = credits?.[at] ?? null;
  const isWrong = credit !== null && isMismatch(skill, credit);
  const classes = ["turn-cell", ...(isWrong ? ["is-neq"] : []), ...(onlyMismatches && !isWrong ? ["is-back"] : [])];
  return (
    <td className={classes.join(" ")} role="gridcell" aria-selected={selected === at}>
      <button
        className="chip"
        type="button"
        data-cell={`${index}:${at}`}
        tabIndex={entry === at ? 0 : -1}
        title={labelText(action)}
        aria-label={`${name}, turn ${at + 1}: ${labelText(action)}; ${creditText(isTruthShown ? skill : null, scheme?.name ?? null, credit)}`}
        onClick={() => onOpen(index, at)}
        onFocus={() => onSelect(index, at)}
      >
        <ChipBoard observation={turn.observation} />
        <Icon name={action.icon} />
        <span className="chip-words">
          {action.sign !== "" && <span className="chip-verb">{action.sign ?? action.verb}</span>}{" "}
          {action.argument !== "" && <ChipArgument text={action.argument} />}
        </span>
      </button>
      {isWrong && <Neq />}
      <div className="strips">
        {isTruthShown && (skill === null ? <NoStrip /> : <SkillStrip truth={skill} limit={limit} />)}
        {scheme !== null && (credit === null ? <NoStrip /> : <CreditStrip credit={credit} factor={factor} limit={limit} isWrong={isWrong} />)}
      </div>
    </td>
  );
}
