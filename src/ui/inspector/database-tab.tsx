import { Fragment } from "react";
import type { Json } from "#core/trajectory.ts";
import { words } from "../format.ts";
import { isChanged, stateDiff, type DiffRow, type DiffTable, type DiffValue } from "./state-diff.ts";
import type { TabProps } from "./tabs.ts";
import { part } from "../part.tsx";

const BoardTab = part(() => import("../sokoban/board-tab.tsx"));

/** A state that is a board is drawn. */
const isBoard = (state: Json): boolean => typeof state === "object" && state !== null && "board" in state;

/** The hidden state before and after the turn. */
export default function DatabaseTab(props: TabProps) {
  return isBoard(props.selected.turn.stateAfter) ? <BoardTab {...props} /> : <Differences {...props} />;
}

function Differences({ selection, selected: { member, turn } }: TabProps) {
  const before = selection.turn === 0 ? member.stateBefore : (member.turns[selection.turn - 1]?.stateAfter ?? null);
  const { values, tables, changed } = stateDiff(before, turn.stateAfter);
  return (
    <>
      <p className="diff-summary">
        <b>{changed === 0 ? "This turn changed nothing." : changed === 1 ? "This turn changed one value." : `This turn changed ${changed} values.`}</b>{" "}
        The policy does not see this, only what comes back.
      </p>
      {tables.map((table) => (
        <Records key={table.name} table={table} />
      ))}
      <dl className="diff-values">
        {values.map((value) => (
          <Fragment key={value.name}>
            <dt>{value.name}</dt>
            <dd>
              <Value value={value} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

/** Old value struck out, new one framed: told by shape, not by colour. */
const Value = ({ value }: { readonly value: DiffValue }) =>
  isChanged(value) ? (
    <>
      <del>
        <span className="vh">was </span>
        {value.before ?? "not there"}
      </del>{" "}
      <ins>
        <span className="vh">now </span>
        {value.after ?? "not there"}
      </ins>
    </>
  ) : (
    value.after
  );

/** A column of whose rows belong together. */
const OWNER = "customer";

function Records({ table: { name, columns, rows } }: { readonly table: DiffTable }) {
  const owned = columns.includes(OWNER);
  const shown = columns.filter((column) => column !== OWNER);
  const owner = ({ cells }: DiffRow): string => cells.find((cell) => cell.name === OWNER)?.after ?? "";
  const owners = owned ? [...new Set(rows.map(owner))] : [""];
  return (
    <div className="diff-box" tabIndex={0} role="region" aria-label={name}>
      <table className="diff">
        <caption>{name}</caption>
        <thead>
          <tr>
            {shown.map((column) => (
              <th key={column} scope="col">
                {words(column)}
              </th>
            ))}
          </tr>
        </thead>
        {owners.map((who) => (
          <tbody key={who}>
            {owned && (
              <tr className="diff-owner">
                <th scope="rowgroup" colSpan={shown.length}>
                  {words(OWNER)} {who}
                </th>
              </tr>
            )}
            {rows
              .filter((row) => !owned || owner(row) === who)
              .map((row) => (
                <RecordRow key={row.key} row={row} columns={shown} />
              ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

const RecordRow = ({ row, columns }: { readonly row: DiffRow; readonly columns: readonly string[] }) => (
  <tr className={row.cells.some(isChanged) ? "is-changed" : undefined}>
    {row.cells
      .filter(({ name }) => columns.includes(name))
      .map((cell, index) =>
        index === 0 ? (
          <th key={cell.name} scope="row">
            <Value value={cell} />
          </th>
        ) : (
          <td key={cell.name}>
            <Value value={cell} />
          </td>
        ),
      )}
  </tr>
);
