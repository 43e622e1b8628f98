import { useCallback } from "react";
import type { GroupEntry } from "#store/run-state.ts";
import { creditScale, newestGroup } from "#store/selectors.ts";
import { GroupHead, LandingHead } from "../board/board-heads.tsx";
import { CreditGrid } from "../board/credit-grid.tsx";
import { schemeName, type SchemeName } from "../board/credit-scheme.ts";
import { CreditLegend } from "../board/credit-strip.tsx";
import { EmptyBoard } from "../board/empty-board.tsx";
import { creditSentence } from "../board/headline.ts";
import { TurnList } from "../board/turn-list.tsx";
import { fixed } from "../format.ts";
import { useGroupConfig } from "../hooks/use-group-config.ts";
import { PHONE, useMedia } from "../hooks/use-media.ts";
import { Icon } from "../icon.tsx";
import { useRun, useView, useWorkbench } from "../workbench-context.ts";

/** The newest group, the one that is held, or the recorded one before anything ran: attempts at one task and the credit of their turns. */
export function BoardPanel() {
  const recorded = useWorkbench().recorded?.entry ?? null;
  const newest = useRun("board", newestGroup);
  const isIdle = useRun("board", (run) => run.status === "idle");
  const held = useView((view) => view.held);
  const entry = held ?? newest ?? (isIdle ? recorded : null);
  const isRecorded = entry !== null && entry === recorded;
  return (
    <section className={isRecorded ? "board panel is-landing" : "board panel"} aria-labelledby="board-title">
      {entry === null ? <EmptyBoard /> : <FilledBoard entry={entry} isRecorded={isRecorded} />}
    </section>
  );
}

function FilledBoard({ entry, isRecorded }: { readonly entry: GroupEntry; readonly isRecorded: boolean }) {
  const { view } = useWorkbench();
  const { harness, algorithm } = useGroupConfig(entry);
  const selection = useView((state) => state.selection);
  const isPhone = useMedia(PHONE);
  const select = useCallback((member: number, turn: number) => view.select(entry, { member, turn }), [view, entry]);
  const open = useCallback(
    (member: number, turn: number) => {
      view.select(entry, { member, turn });
      view.show("why");
    },
    [view, entry],
  );
  const scheme = schemeName(algorithm.credit);
  return (
    <>
      {isRecorded ? <LandingHead entry={entry} /> : <GroupHead entry={entry} />}
      <div className="board-scroll">
        {isPhone !== true && (
          <CreditGrid
            entry={entry}
            horizon={harness.turns}
            selection={selection}
            scheme={scheme}
            onSelect={select}
            onOpen={open}
          />
        )}
        {isPhone !== false && <TurnList entry={entry} scheme={scheme} selection={selection} onOpen={open} />}
      </div>
      <BoardFoot entry={entry} scheme={scheme} sentence={isRecorded && selection !== null ? creditSentence(entry.group, selection, scheme.name) : null} />
    </>
  );
}

interface BoardFootProps {
  readonly entry: GroupEntry;
  readonly scheme: SchemeName;
  readonly sentence: string | null;
}

const BoardFoot = ({ entry, scheme, sentence }: BoardFootProps) => (
  <div className="board-foot">
    {sentence !== null && <p className="board-sentence">{sentence}</p>}
    <CreditLegend />
    <span className="key push">
      <span className="code" aria-hidden="true">
        {scheme.letter}
      </span>
      {scheme.name}, {scheme.variant}
    </span>
    <span className="key">
      <Icon name="lock" />
      Scale ±{fixed(creditScale(entry))}
    </span>
  </div>
);
