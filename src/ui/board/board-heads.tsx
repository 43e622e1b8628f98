import { wholeGroup } from "#store/whole-group.ts";
import { reward, sentence } from "../format.ts";
import type { BoardModel } from "../hooks/use-board-model.ts";
import { Icon, PlayIcon } from "../icon.tsx";
import { useDraft, useWorkbench } from "../workbench-context.ts";
import { observationText } from "./action-label.ts";
import { requestText } from "../story/request-text.ts";
import { tally } from "./headline.ts";

interface HeadProps {
  readonly model: BoardModel;
}

/** Over the recorded group: the question that the page is about, and the one thing to press. */
export function LandingHead({ model: { entry } }: HeadProps) {
  const { controller } = useWorkbench();
  const invalid = useDraft((draft) => draft.issue !== null);
  return (
    <div className="board-head is-landing">
      <h2 id="board-title">
        <span>{tally(entry)}</span> <span>Which turn deserves the credit?</span>
      </h2>
      <p className="landing-task" title="Recorded from the base policy">
        Recorded: {requestText(entry.group.first)}.
      </p>
      <button className="btn btn-primary btn-lg" type="button" disabled={invalid} onClick={() => controller.toggle()}>
        <PlayIcon />
        Run
        <kbd>Space</kbd>
      </button>
    </div>
  );
}

export function GroupHead({ model: { entry } }: HeadProps) {
  const { update, group, linked } = entry;
  const { size, places, rewards } = wholeGroup(entry);
  const isPart = places.length < size;
  // The scheme trained with is the first; truth or a critic pays turns where there is nothing to compare.
  const isPaid = group.credits[0]?.credits.some((row) => row.some((credit) => credit !== 0)) === true;
  return (
    <div className="board-head">
      <div className="board-title">
        <h2 id="board-title">Group of update {update}{linked !== undefined && ", recorded"}</h2>
        <p title={sentence(requestText(group.first))}>{observationText(group.first)}</p>
        <p className="rewards">
          {isPart && `${places.length} of ${size} trajectories, `}rewards {isPart && rewards !== null && "of all "}
          {(rewards ?? group.members.map((member) => member.reward)).map((paid) => reward(paid ?? 0)).join(" ")}
        </p>
      </div>
      {!group.informative && (
        <span className="stamp">
          <Icon name="info" />
          {isPaid ? "rewards all equal" : "no signal: all equal"}
        </span>
      )}
    </div>
  );
}
