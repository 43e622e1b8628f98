import { useCallback } from "react";
import type { GroupEntry, RunState } from "#store/run-state.ts";
import { creditScale, neighbourGroup, newestGroup } from "#store/selectors.ts";
import { observationText } from "../board/action-label.ts";
import { CreditGrid } from "../board/credit-grid.tsx";
import { schemeName } from "../board/credit-scheme.ts";
import { CreditLegend } from "../board/credit-strip.tsx";
import { EmptyBoard } from "../board/empty-board.tsx";
import { TurnList } from "../board/turn-list.tsx";
import { fixed, reward } from "../format.ts";
import { PHONE, useMedia } from "../hooks/use-media.ts";
import { Icon } from "../icon.tsx";
import { useDraft, useRun, useView, useWorkbench } from "../workbench-context.ts";

/** The newest group, or the one that is held: attempts at one task, their turns, and what each turn was credited. */
export function BoardPanel() {
  const newest = useRun("board", newestGroup);
  const held = useView((view) => view.held);
  const entry = held ?? newest;
  return (
    <section className="board panel" aria-labelledby="board-title">
      {entry === null ? <EmptyBoard /> : <FilledBoard entry={entry} isHeld={held !== null} />}
    </section>
  );
}

function FilledBoard({ entry, isHeld }: { readonly entry: GroupEntry; readonly isHeld: boolean }) {
  const { view } = useWorkbench();
  const config = useRun("board", (run) => run.config);
  const edited = useDraft((draft) => draft.config);
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
  const { harness, algorithm } = config ?? edited;
  const scheme = schemeName(algorithm.credit);
  const { group } = entry;
  return (
    <>
      <div className="board-head">
        <div className="board-title">
          <h2 id="board-title">Group of update {entry.update}</h2>
          <p>{observationText(group.first)}</p>
          <p className="rewards">rewards {group.members.map((member) => reward(member.reward)).join(" ")}</p>
        </div>
        {!group.informative && (
          <span className="stamp">
            <Icon name="info" />
            no signal: all equal
          </span>
        )}
        <GroupPager entry={entry} isHeld={isHeld} />
      </div>
      <div className="board-scroll">
        {isPhone ? (
          <TurnList entry={entry} scheme={scheme} selection={selection} onOpen={open} />
        ) : (
          <CreditGrid
            entry={entry}
            horizon={harness.turns}
            selection={selection}
            label={`Credit of each turn under ${scheme.name}, ${scheme.variant}`}
            onSelect={select}
            onOpen={open}
          />
        )}
      </div>
      <div className="board-foot">
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
    </>
  );
}

const older = (entry: GroupEntry) => (run: RunState) => neighbourGroup(run, entry, -1);
const newer = (entry: GroupEntry) => (run: RunState) => neighbourGroup(run, entry, 1);

/** Pages through the groups that are kept; `Live` goes back to following the newest. */
function GroupPager({ entry, isHeld }: { readonly entry: GroupEntry; readonly isHeld: boolean }) {
  const { view } = useWorkbench();
  const before = useRun("board", older(entry));
  const after = useRun("board", newer(entry));
  return (
    <>
      <button className="btn btn-quiet btn-sm btn-icon" type="button" aria-label="Older group" disabled={before === null} onClick={() => before && view.hold(before)}>
        <Icon name="left" />
      </button>
      <button className="btn btn-quiet btn-sm btn-icon" type="button" aria-label="Newer group" disabled={after === null} onClick={() => after && view.hold(after)}>
        <Icon name="right" />
      </button>
      <button className="btn btn-sm live" type="button" aria-pressed={!isHeld} onClick={() => view.follow()}>
        <span className={isHeld ? "lamp" : "lamp lamp-on"} />
        Live
      </button>
    </>
  );
}
