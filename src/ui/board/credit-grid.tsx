import { useId, useMemo, useRef, type KeyboardEvent } from "react";
import type { TurnSelection } from "#store/view-store.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { nameIn } from "../format.ts";
import { useBoard } from "../workbench-context.ts";
import { schemeName } from "./credit-scheme.ts";
import { MemberRow } from "./member-row.tsx";
import { boardSummary } from "./headline.ts";

export interface CreditGridProps {
  readonly model: BoardModel;
  /** Turns an episode may have: columns stay where they are whatever the group. */
  readonly horizon: number;
  readonly selection: TurnSelection | null;
  readonly onSelect: (member: number, turn: number) => void;
  /** Also shows its inspector where that is not on screen. */
  readonly onOpen: (member: number, turn: number) => void;
}

/** Few attempts have room for larger turns; few turns have room for bars beside their numbers. */
const ROOMY = 4;
const FEW = 5;
/** More turns than this do not fit: the board scrolls, each turn as wide as it needs. */
const MANY = 10;
const TURN_WIDTH = 60;
const SIDES_WIDTH = 190;

/** Members as rows, turns as columns: one tab stop, arrows move inside, what has focus is selected. */
export function CreditGrid({ model, horizon, selection, onSelect, onOpen }: CreditGridProps) {
  const { entry, truth, isTruthShown, compared, shown, scale } = model;
  const grid = useRef<HTMLTableElement>(null);
  const summary = useId();
  const onlyMismatches = useBoard((board) => board.onlyMismatches);
  const { members } = entry.group;
  const columns = Math.max(horizon, ...members.map(({ turns }) => turns.length));
  const focused = selection ?? { member: members.findIndex(({ turns }) => turns.length > 0), turn: 0 };
  const scheme = useMemo(() => (compared === null ? null : schemeName(compared)), [compared]);

  const move = (event: KeyboardEvent): void => {
    const next = target(event.key, focused, members.map(({ turns }) => turns.length));
    if (next === null) return;
    event.preventDefault();
    grid.current?.querySelector<HTMLElement>(`[data-cell="${next.member}:${next.turn}"]`)?.focus();
  };

  const classes = ["grid", ...(members.length <= ROOMY ? ["is-roomy"] : []), ...(columns <= FEW ? ["is-few"] : []), ...(columns > MANY ? ["is-wide"] : [])];
  return (
    <>
      <p className="vh" id={summary}>
        {boardSummary(model)}
      </p>
      <table
        className={classes.join(" ")}
        style={columns > MANY ? { minWidth: SIDES_WIDTH + columns * TURN_WIDTH } : undefined}
        role="grid"
        aria-label={scheme === null ? "Truth of each turn" : `Credit of each turn under ${scheme.name}, ${scheme.variant}`}
        aria-describedby={summary}
        ref={grid}
        onKeyDown={move}
      >
        <GridHead columns={columns} />
        <tbody>
          {members.map((member, index) => (
            <MemberRow
              key={`member-${index}`}
              index={index}
              name={nameIn(entry, index)}
              member={member}
              columns={columns}
              truth={truth?.members[index] ?? null}
              isTruthShown={isTruthShown}
              credits={shown === null ? null : (shown.credits[index] ?? null)}
              scheme={scheme}
              factor={shown === null ? 1 : scale.factor(shown.id)}
              limit={scale.limit}
              onlyMismatches={onlyMismatches}
              selected={selection?.member === index ? selection.turn : null}
              entry={focused.member === index ? focused.turn : null}
              onSelect={onSelect}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

export function GridHead({ columns }: { readonly columns: number }) {
  const turns = Array.from({ length: columns }, (_, index) => index + 1);
  return (
    <>
      <colgroup>
        <col className="who" />
        {turns.map((turn) => (
          <col key={turn} />
        ))}
        <col className="outcome-column" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">
            <span className="vh">Trajectory</span>
          </th>
          {turns.map((turn) => (
            <th key={turn} scope="col">
              Turn {turn}
            </th>
          ))}
          <th scope="col">Outcome</th>
        </tr>
      </thead>
    </>
  );
}

/** Where an arrow, Home or End leads; rows without turns are passed over. */
function target(key: string, { member, turn }: TurnSelection, lengths: readonly number[]): TurnSelection | null {
  const last = (lengths[member] ?? 0) - 1;
  const inRow = (row: number): TurnSelection => ({ member: row, turn: Math.min(turn, (lengths[row] ?? 1) - 1) });
  switch (key) {
    case "ArrowLeft":
      return { member, turn: Math.max(0, turn - 1) };
    case "ArrowRight":
      return { member, turn: Math.min(last, turn + 1) };
    case "Home":
      return { member, turn: 0 };
    case "End":
      return { member, turn: last };
    case "ArrowUp": {
      const row = lengths.findLastIndex((length, index) => index < member && length > 0);
      return row < 0 ? null : inRow(row);
    }
    case "ArrowDown": {
      const row = lengths.findIndex((length, index) => index > member && length > 0);
      return row < 0 ? null : inRow(row);
    }
    default:
      return null;
  }
}
