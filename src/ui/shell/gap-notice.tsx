import { hashText } from "#core/json.ts";
import { configText } from "#run/run-config.ts";
import type { RunState } from "#store/run-state.ts";
import { gapCause, rewardGap } from "#store/reward-gap.ts";
import { fixed } from "../format.ts";
import { ownExhibits } from "../gallery/own.ts";
import { Action, Dismiss, Notice } from "./notice.tsx";
import type { NoticeEntry } from "./safety-notices.tsx";

/** @param run one that has come to rest: while it goes on, the next evaluation may say something else. @param kept ids in the gallery. @param isChanged on its way: the gallery keeps links, and none tells such a run. */
export function gapNotice(run: RunState | null, kept: ReadonlySet<string>, isChanged: boolean): NoticeEntry | null {
  if (run?.config == null) return null;
  const { config } = run;
  const points = rewardGap(run);
  const last = points?.at(-1);
  if (points === null || last === undefined) return null;
  const about = `gap of run ${run.run}`;
  const check = config.reward.id === "verifiable" ? config.reward.check : config.reward.id;
  // The same run of the same settings is the same exhibit.
  const id = `${hashText(configText(config)).toString(36)}-${last.update}`;
  const add = async (): Promise<void> => {
    const { encodeRunLink } = await import("#share/run-link.ts");
    ownExhibits.add({ id, addedAt: Date.now(), link: await encodeRunLink({ config, view: null, unknown: [] }), preset: config.preset, check, points });
  };
  const content = (
    <Notice icon="warning" title={`Paid ${fixed(last.score)}, held-out success ${fixed(last.heldout)}`}>
      <p>
        {gapCause(last) === "check"
          ? `The reward believes more than is true: by the strict verdict, the same attempts succeed at ${fixed(last.success)}.`
          : "The reward is right about the attempts that it pays for; what was learnt does not carry over to tasks held out."}
      </p>
      <div className="actions">
        {isChanged ? null : kept.has(id) ? (
          <a className="btn btn-primary" href="#/gallery">
            Kept: open the gallery
          </a>
        ) : (
          <Action isPrimary onClick={() => void add()}>
            Add to my gallery
          </Action>
        )}
        <Dismiss about={about} />
      </div>
    </Notice>
  );
  return { kind: "gap", about, content };
}
