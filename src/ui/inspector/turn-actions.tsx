import type { GroupEntry } from "#store/run-state.ts";
import type { TurnSelection } from "#store/view-store.ts";
import { Icon } from "../icon.tsx";
import { useWorkbench } from "../workbench-context.ts";
import { branchHere, forkHere } from "../hooks/board-keys.ts";

interface TurnActionsProps {
  readonly entry: GroupEntry;
  readonly selection: TurnSelection;
}

/** What else could have come of the turn: on the board, below the trajectory. */
export function TurnActions({ entry, selection }: TurnActionsProps) {
  const workbench = useWorkbench();
  if (entry.linked !== undefined) return <p className="why-foot">From a link: train again to branch from here.</p>;
  return (
    <div className="why-foot">
      <button className="btn" type="button" title="Fork here (F)" onClick={() => forkHere(workbench, entry, selection)}>
        <Icon name="fork" />
        Branch from here
      </button>
      <button className="btn" type="button" title="The same choice, 64 times (B)" onClick={() => branchHere(workbench, entry, selection)}>
        ×64
      </button>
    </div>
  );
}
