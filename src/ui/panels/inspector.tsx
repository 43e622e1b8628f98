import { Suspense, useId } from "react";
import { useShallow } from "zustand/shallow";
import type { GroupEntry } from "#store/run-state.ts";
import { newestGroup, selectedTurn } from "#store/selectors.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { actionLabel, labelText } from "../board/action-label.ts";
import { nameIn } from "../format.ts";
import { Icon } from "../icon.tsx";
import { TabList } from "../inspector/tab-list.tsx";
import { TABS, type TabProps } from "../inspector/tabs.ts";
import { TurnActions } from "../inspector/turn-actions.tsx";
import { useRun, useView, useWorkbench } from "../workbench-context.ts";
import { part } from "../part.tsx";

const GroupStory = part(() => import("../story/group-story.tsx"));

/** One turn, in full: what the policy saw and chose, what it did to the database, its place in the attempt. */
export function InspectorPanel() {
  const { held, selection } = useView(useShallow(({ held, selection }) => ({ held, selection })));
  const selected = selectedTurn(held, selection);
  const newest = useRun("board", newestGroup);
  const entry = held ?? newest;
  if (entry === null) return <EmptyInspector />;
  if (held === null || selection === null || selected === null) {
    return (
      <>
        <Head />
        <Suspense>
          <GroupStory entry={entry} />
        </Suspense>
      </>
    );
  }
  return <Inspector entry={held} selection={selection} selected={selected} />;
}

const Head = () => (
  <div className="why-head">
    <div className="why-title">
      <h2>Why?</h2>
    </div>
  </div>
);

const EmptyInspector = () => (
  <>
    <Head />
    <div className="why-empty">
      <p>Choose a turn on the board. The board then holds its group, and this place shows:</p>
      <ul>
        <li>
          <span className="role role-env" />
          the exact tokens the policy saw, its own marked
        </li>
        <li>
          <span className="role role-policy" />
          what it chose, and how likely each legal alternative was
        </li>
        <li>
          <span className="role role-env" />
          what came back, and what it changed
        </li>
        <li>
          <span className="role role-verifier" />
          which check decided the reward
        </li>
      </ul>
    </div>
  </>
);

function Inspector({ entry, selection, selected }: TabProps) {
  const id = useId();
  const tab = useView((view) => view.tab);
  const { component: Tab } = TABS[tab];
  return (
    <>
      <div className="why-head">
        <div className="why-title">
          <h2>
            Why?{" "}
            <span>
              {nameIn(entry, selection.member)}, turn {selection.turn + 1}: {labelText(actionLabel(selected.turn.action))}
            </span>
          </h2>
          <TurnButton entry={entry} to={{ ...selection, turn: selection.turn - 1 }} label="Previous turn" icon="left" />
          <TurnButton entry={entry} to={{ ...selection, turn: selection.turn + 1 }} label="Next turn" icon="right" />
        </div>
        <TabList id={id} state={selected.turn.stateAfter} />
      </div>
      {/* Scrolls, so it can be reached by keyboard. */}
      <div className="why-body" tabIndex={0} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        <Suspense>
          <Tab entry={entry} selection={selection} selected={selected} />
        </Suspense>
      </div>
      <TurnActions entry={entry} selection={selection} />
    </>
  );
}

interface TurnButtonProps {
  readonly entry: GroupEntry;
  readonly to: TurnSelection;
  readonly label: string;
  readonly icon: "left" | "right";
}

function TurnButton({ entry, to, label, icon }: TurnButtonProps) {
  const { view } = useWorkbench();
  return (
    <button
      className="btn btn-quiet btn-sm btn-icon"
      type="button"
      aria-label={label}
      disabled={selectedTurn(entry, to) === null}
      onClick={() => view.select(entry, to)}
    >
      <Icon name={icon} />
    </button>
  );
}
