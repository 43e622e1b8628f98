import type { GroupEntry } from "#store/run-state.ts";
import { reward } from "../format.ts";
import { Icon, PlayIcon } from "../icon.tsx";
import { useDraft, useWorkbench } from "../workbench-context.ts";
import { observationText } from "./action-label.ts";
import { tally } from "./headline.ts";

/** Over the recorded group: the question that the page is about, and the one thing to press. */
export function LandingHead({ entry: { group } }: { readonly entry: GroupEntry }) {
  const { controller } = useWorkbench();
  const invalid = useDraft((draft) => draft.issue !== null);
  return (
    <div className="board-head is-landing">
      <div className="landing-title">
        <h2 id="board-title">
          <span>{tally(group)}</span> <span>Which turn deserves the credit?</span>
        </h2>
        <p>Recorded from the base policy. Request: {observationText(group.first)}.</p>
      </div>
      <button className="btn btn-primary btn-lg" type="button" disabled={invalid} onClick={() => controller.toggle()}>
        <PlayIcon />
        Run
        <kbd>Space</kbd>
      </button>
    </div>
  );
}

export function GroupHead({ entry: { update, group } }: { readonly entry: GroupEntry }) {
  return (
    <div className="board-head">
      <div className="board-title">
        <h2 id="board-title">Group of update {update}</h2>
        <p>{observationText(group.first)}</p>
        <p className="rewards">rewards {group.members.map((member) => reward(member.reward)).join(" ")}</p>
      </div>
      {!group.informative && (
        <span className="stamp">
          <Icon name="info" />
          no signal: all equal
        </span>
      )}
    </div>
  );
}
