import { useStore } from "zustand";
import { LOCKS } from "#share/link-extras.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { Reproduction } from "#run/reproduction.ts";
import { changes, type Change } from "#store/config-path.ts";
import type { LinkState, OpenedLink } from "#store/link-store.ts";
import type { GroupEntry, RunStatus } from "#store/run-state.ts";
import type { SharedRun } from "#store/shared-run.ts";
import { wholeGroup } from "#store/whole-group.ts";
import { changeText } from "../controls/change-text.ts";
import { percent } from "../format.ts";
import { Action, Dismiss, Notice } from "./notice.tsx";
import type { NoticeEntry } from "./safety-notices.tsx";

const CHANGES_NAMED = 6;
/** Told by the preset's name. */
const UNTOLD: ReadonlySet<string> = new Set(["preset", "version"]);

const differences = (config: RunConfig): readonly Change[] => changes(PRESETS[config.preset], config).filter(({ path }) => !UNTOLD.has(path));

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** What came with the address, and what can be done with it. A link that says no more than its preset is not worth a notice. */
export function openedNotice({ opened, locks, frame }: Pick<LinkState, "opened" | "locks" | "frame">, status: RunStatus): NoticeEntry | null {
  // In somebody else's page there is no room for it, and the way to the whole is one press.
  if (opened === null || frame !== null || status !== "idle") return null;
  if (opened.shared === null && locks.length === 0 && differences(opened.config).length === 0) return null;
  return { kind: "opened", about: opened, content: <Opened opened={opened} locks={locks} /> };
}

interface OpenedProps extends Pick<LinkState, "locks"> {
  readonly opened: OpenedLink;
}

function Opened({ opened, locks }: OpenedProps) {
  const { config, shared } = opened;
  const differing = differences(config);
  const count = differing.length === 0 ? `is the preset ${config.preset} as it stands` : `${plural(differing.length, "setting")} differ${differing.length === 1 ? "s" : ""} from the preset ${config.preset}`;
  return (
    <Notice icon="link" title={`${shared === null ? "Shared settings" : "Shared run"}: ${count}`}>
      {differing.length > 0 && (
        <p>
          {differing.slice(0, CHANGES_NAMED).map((change) => changeText(config, change)).join(", ")}
          {differing.length > CHANGES_NAMED && `, and ${differing.length - CHANGES_NAMED} more`}.
        </p>
      )}
      {locks.length > 0 && (
        <p>
          Locked for a class: {locks.map((id) => LOCKS[id].title.toLowerCase()).join(", ")}. Recipe has a button that unlocks them.
        </p>
      )}
      {shared !== null && <Recorded shared={shared} />}
      <div className="actions">
        {shared !== null && <Shared shared={shared} />}
        <Dismiss about={opened} />
      </div>
    </Notice>
  );
}

const NOT_HERE = "which this page does not compute in: a new run is in simd128 and compared within a tolerance";

/** "4 of the 8 trajectories of a group" */
function shownOf(entry: GroupEntry): string {
  const { size, places } = wholeGroup(entry);
  return places.length < size ? `${places.length} of the ${size} trajectories of a group` : `all ${size} trajectories of a group`;
}

function Recorded({ shared }: { readonly shared: SharedRun }) {
  const { entry, fault } = useStore(shared);
  const { arithmetic, update, marks, trajectories } = shared.evidence;
  const success = marks.at(-1)?.success;
  return (
    <>
      <p>
        Recorded in {arithmetic}
        {arithmetic === "relaxed" || arithmetic === "reference" ? `, ${NOT_HERE},` : ""} up to update {update} of {shared.config.updates}
        {success === undefined ? "" : `, where ${percent(success)} of the trajectories succeeded`}.
        {trajectories !== null && entry !== null && ` The board shows ${shownOf(entry)} of update ${entry.update} as recorded; nothing was computed.`}
      </p>
      {fault !== null && <p>Its trajectories cannot be shown: {fault}.</p>}
    </>
  );
}

function Shared({ shared }: { readonly shared: SharedRun }) {
  const { entry } = useStore(shared);
  return (
    <>
      <Action isPrimary onClick={() => shared.trainAgain()}>
        Train again
      </Action>
      {entry !== null && <Action onClick={() => shared.show()}>Replay recorded</Action>}
    </>
  );
}

/** How a run compares with the one in the link. */
export function verdictNotice(verdict: Reproduction | null, shared: SharedRun | null, status: RunStatus): NoticeEntry | null {
  if (verdict === null || shared === null || verdict.kind === "waiting") return null;
  const isOver = verdict.kind === "diverged" || verdict.isWhole;
  // While it goes well, nobody is to be told at every mark.
  if (!isOver && status !== "paused") return null;
  const about = `${shared.evidence.start} ${verdict.kind} ${isOver} ${verdict.kind === "diverged" ? verdict.by : verdict.until}`;
  const { title, text } = verdictText(verdict, shared);
  const content = (
    <Notice icon={verdict.kind === "diverged" ? "warning" : "info"} title={title}>
      <p>{text}</p>
      <div className="actions">
        {shared.getState().entry !== null && <Action onClick={() => shared.show()}>Replay recorded</Action>}
        <Dismiss about={about} />
      </div>
    </Notice>
  );
  return { kind: "verdict", about, content };
}

function verdictText(verdict: Exclude<Reproduction, { kind: "waiting" }>, { evidence }: SharedRun): { readonly title: string; readonly text: string } {
  const { arithmetic, marks } = evidence;
  if (verdict.kind === "same") {
    const compared = marks.filter(({ update }) => update <= verdict.until).length;
    return { title: "Reproduced: the same", text: `The weights' bits agree with the recorded run at ${compared === 1 ? "the one compared update" : `all ${compared} compared updates`}, up to update ${verdict.until}.` };
  }
  if (verdict.kind === "within") {
    return {
      title: "Reproduced: within tolerance",
      text: `Up to update ${verdict.until} the successes differ by at most ${percent(verdict.success)} and the way of the weights by ${percent(verdict.drift)}, as chance allows. Bits need not agree: the run was recorded in ${arithmetic}.`,
    };
  }
  if (verdict.by === 0) return { title: "Diverged: another start", text: "The starting weights are not those of the recorded run: its base policy, or the policy's sizes, have changed since." };
  return {
    title: `Diverged between updates ${verdict.after} and ${verdict.by}`,
    text: verdict.what === "bits" ? `Up to update ${verdict.after} the weights' bits agree with the recorded run; at update ${verdict.by} they do not.` : `Up to update ${verdict.after} the run stays as close to the recorded one as chance allows; at update ${verdict.by} it does not.`,
  };
}
