import { Suspense } from "react";
import { useStore } from "zustand";
import type { Future } from "#store/fork-store.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { nameIn, reward } from "../../format.ts";
import type { BoardModel } from "../../hooks/use-board-model.ts";
import { Icon } from "../../icon.tsx";
import { useBoard, useWorkbench } from "../../workbench-context.ts";
import { LayoutSwitch } from "../board-controls.tsx";
import { BoardFoot } from "../board-foot.tsx";
import { Neq } from "../credit-strip.tsx";
import { turnSentence } from "../headline.ts";
import { endingText } from "../outcome.tsx";
import { StepButton } from "../turn-list.tsx";
import { leastWidth } from "./matrix-width.ts";
import { Matrix } from "./matrix.tsx";
import { MoreSchemes } from "./more-schemes.tsx";
import { focusRows, wrongSigns } from "./rows.ts";
import { part } from "../../part.tsx";
import "./focus.css";

const ForkPanel = part(() => import("../fork/fork-panel.tsx"));

/** Fewer would be wider than a bar has use for. */
const LEAST_COLUMNS = 4;

const longestFuture = (futures: readonly Future[], member: number): number =>
  Math.max(0, ...futures.flatMap(({ at, outcome }) => (at.member === member && outcome.kind === "done" ? outcome.result.records.map(({ turns }) => turns.length) : [])));

export interface FocusProps {
  readonly model: BoardModel;
  readonly selection: TurnSelection | null;
  readonly onSelect: (member: number, turn: number) => void;
  readonly onOpen: (member: number, turn: number) => void;
}

/** One trajectory under every scheme, truth on top; below it what else could have come of its turns. */
export default function FocusView({ model, selection, onSelect, onOpen }: FocusProps) {
  const { forks } = useWorkbench();
  const more = useBoard((board) => board.more);
  const { entry: { update, group }, truth } = model;
  const index = Math.min(selection?.member ?? 0, group.members.length - 1);
  const member = group.members[index];
  const open = useStore(forks, (state) => (state.open !== null && state.open.at.member === index ? state.open : null));
  const hasFutures = useStore(forks, (state) => state.open?.at.member === index || state.futures.some(({ at }) => at.member === index) || state.rewound.has(index));
  const longest = useStore(forks, (state) => longestFuture(state.futures, index));
  if (member === undefined) return null;
  const rows = focusRows(model, more);
  const { wrong, decided } = wrongSigns(model, index, rows);
  const columns = Math.max(LEAST_COLUMNS, member.turns.length, longest);
  const turn = selection?.member === index ? selection.turn : 0;
  const step = (to: number): void => onSelect(to, Math.min(turn, Math.max(0, (group.members[to]?.turns.length ?? 1) - 1)));
  return (
    <>
      <div className="board-head">
        <div className="board-title">
          <h2 id="board-title">Trajectory {nameIn(model.entry, index)}</h2>
          <p>
            group of update {update}, reward {reward(member.reward)}, {endingText(member)}
          </p>
        </div>
        {truth !== null && (
          <span className="count is-still">
            <Neq />
            {wrong} of {decided} signs wrong
          </span>
        )}
      </div>
      <div className="board-controls">
        <StepButton direction="Previous" to={index - 1} entry={model.entry} onStep={step} />
        <StepButton direction="Next" to={index + 1} entry={model.entry} onStep={step} />
        <span className="note">
          {index + 1} of {group.members.length}
        </span>
        <button className="btn btn-sm" type="button" title="Fork the chosen turn (F)" disabled={member.turns.length === 0} aria-expanded={open !== null} onClick={() => (open === null ? forks.open(model.entry, { member: index, turn }) : forks.close())}>
          <Icon name="fork" />
          Fork turn {turn + 1}
        </button>
        <MoreSchemes rows={rows} />
        <LayoutSwitch />
      </div>
      <div className="board-scroll">
        <div style={{ minWidth: leastWidth(columns) ?? undefined }}>
          <Matrix model={model} rows={rows} index={index} member={member} columns={columns} turn={turn} onSelect={onSelect} onOpen={onOpen} />
          {hasFutures && (
            <Suspense fallback={<p className="futures note">…</p>}>
              <ForkPanel model={model} member={index} columns={columns} />
            </Suspense>
          )}
        </div>
      </div>
      <BoardFoot model={model} sentence={turnSentence(model, { member: index, turn })} isStory={false} />
    </>
  );
}
