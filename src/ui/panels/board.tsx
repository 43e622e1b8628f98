import { Suspense, useCallback } from "react";
import { useStore } from "zustand";
import { isMismatch, turnTruth } from "#store/credit-board.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { boardEntry } from "#store/selectors.ts";
import { BoardControls } from "../board/board-controls.tsx";
import { BoardFoot } from "../board/board-foot.tsx";
import { GroupHead, LandingHead } from "../board/board-heads.tsx";
import { CreditGrid } from "../board/credit-grid.tsx";
import { turnSentence } from "../board/headline.ts";
import { TurnList } from "../board/turn-list.tsx";
import { useBoardModel } from "../hooks/use-board-model.ts";
import { useGroupConfig } from "../hooks/use-group-config.ts";
import { PHONE, useMedia } from "../hooks/use-media.ts";
import { useBoard, useRun, useView, useWorkbench } from "../workbench-context.ts";
import { part } from "../part.tsx";

const EmptyBoard = part(() => import("../board/empty-board.tsx"));
const ForkPanel = part(() => import("../board/fork/fork-panel.tsx"));
const FocusView = part(() => import("../board/focus/focus-view.tsx"));

/** The newest group, or the one that is held, as the recorded one is before anything ran: attempts at one task and the credit of their turns. */
export function BoardPanel() {
  const recorded = useWorkbench().recorded?.entry ?? null;
  const isFocus = useBoard((board) => board.layout === "focus");
  const held = useView((view) => view.held);
  const entry = useRun("board", (run) => boardEntry(held, run));
  const isRecorded = entry !== null && entry === recorded;
  const classes = ["board", "panel", ...(isRecorded ? ["is-landing"] : []), ...(isFocus && entry !== null ? ["is-focus"] : [])];
  return (
    <section className={classes.join(" ")} aria-labelledby="board-title">
      {entry === null ? (
        <Suspense fallback={<div className="board-head" aria-busy="true" />}>
          <EmptyBoard />
        </Suspense>
      ) : (
        <FilledBoard entry={entry} isRecorded={isRecorded} />
      )}
    </section>
  );
}

export interface BoardProps {
  readonly entry: GroupEntry;
  readonly isRecorded: boolean;
}

function FilledBoard({ entry, isRecorded }: BoardProps) {
  const { view, forks } = useWorkbench();
  const { harness } = useGroupConfig(entry);
  const model = useBoardModel(entry);
  const selection = useView((state) => state.selection);
  const isFocus = useBoard((board) => board.layout === "focus");
  const isPhone = useMedia(PHONE);
  const { entry: of, open: choices, futures, rewound } = useStore(forks);
  const isForked = (member: number): boolean => of === entry && (choices?.at.member === member || futures.some(({ at }) => at.member === member) || rewound.has(member));
  const select = useCallback((member: number, turn: number) => view.select(entry, { member, turn }), [view, entry]);
  const open = useCallback(
    (member: number, turn: number) => {
      view.select(entry, { member, turn });
      view.show("why");
    },
    [view, entry],
  );
  // Narrow screens have one trajectory at a time anyway, and all schemes in a sheet.
  if (isFocus && isPhone !== true) {
    return (
      <Suspense fallback={<div className="board-head" aria-busy="true" />}>
        <FocusView model={model} selection={selection} onSelect={select} onOpen={open} />
      </Suspense>
    );
  }
  const credit = selection === null ? undefined : model.shown?.credits[selection.member]?.[selection.turn];
  const isStory = selection !== null && credit !== undefined && isMismatch(turnTruth(model.truth, selection), credit);
  return (
    <>
      {isRecorded ? <LandingHead model={model} /> : <GroupHead model={model} />}
      <BoardControls model={model} />
      <div className="board-scroll">
        {isPhone !== true && <CreditGrid model={model} horizon={harness.turns} selection={selection} onSelect={select} onOpen={open} />}
        {isPhone !== false && (
          <TurnList
            model={model}
            selection={selection}
            onOpen={open}
            below={(member) =>
              isPhone === true && isForked(member) && (
                <Suspense>
                  <ForkPanel model={model} member={member} />
                </Suspense>
              )
            }
          />
        )}
      </div>
      <BoardFoot model={model} sentence={isRecorded && selection !== null ? turnSentence(model, selection) : null} isStory={isStory} />
    </>
  );
}
