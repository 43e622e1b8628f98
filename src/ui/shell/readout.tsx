import { useState } from "react";
import { useStore } from "zustand";
import { useShallow } from "zustand/shallow";
import type { RunState, RunStatus } from "#store/run-state.ts";
import { shownUpdate } from "#store/selectors.ts";
import { rate } from "../format.ts";
import { useDraft, useRun, useView, useWorkbench } from "../workbench-context.ts";

export const STATUS: Readonly<Record<RunStatus, string>> = {
  idle: "not started",
  starting: "starting",
  running: "running",
  paused: "paused",
  recovering: "recovering",
  finished: "finished",
  failed: "failed",
  "device-lost": "device lost",
};

interface Standing {
  readonly status: RunStatus;
  readonly update: number;
  readonly updates: number;
  readonly updatesPerSecond: number | null;
  readonly hasGroups: boolean;
  readonly practice: RunState["practice"];
}

function statusText({ status, update, updates, updatesPerSecond, hasGroups, practice }: Standing): string {
  if (practice !== null && (status === "running" || status === "paused")) return `practice ${practice.done} of ${practice.of}`;
  if (status !== "running") return STATUS[status];
  if (update === 0 && hasGroups) return "first evaluation";
  if (update >= updates) return "final evaluation";
  return updatesPerSecond === null ? STATUS.running : `running, ${rate(updatesPerSecond)}`;
}

/** Which update is shown, as a number that can be typed; how the run stands; the way back to the newest. */
export function Readout() {
  const { gate, scrubber, view } = useWorkbench();
  const isAwaited = useStore(gate, (state) => state.isAwaited);
  const edited = useDraft((draft) => draft.config.updates);
  const at = useView((state) => state.at);
  const standing = useRun(
    "transport",
    useShallow(({ status, update, updatesPerSecond, config, groups, practice }: RunState) => ({
      status, update, updatesPerSecond, practice, updates: config?.updates ?? null, hasGroups: groups.length > 0, newest: shownUpdate({ groups, update }, null),
    })),
  );
  const updates = standing.updates ?? edited;
  const shown = at ?? standing.newest;
  const isBehind = standing.hasGroups && at !== null && at < standing.update;
  const status = isAwaited ? "reading settings" : isBehind ? `${STATUS[standing.status]} at ${standing.update}` : statusText({ ...standing, updates });
  return (
    <>
      <div className="readout">
        <p className="vh">
          Update {shown} of {updates}
        </p>
        <UpdateField shown={shown} updates={updates} isEnabled={standing.hasGroups} onGo={(update) => scrubber.to(update)} />
        <small title={standing.practice === null ? undefined : "Before the first update the judge practises on groups of the starting policy"}>{status}</small>
      </div>
      <button
        className="btn btn-sm live"
        type="button"
        aria-pressed={standing.hasGroups && at === null}
        disabled={!standing.hasGroups}
        title="Follow the newest update"
        onClick={() => view.follow()}
      >
        <span className={standing.hasGroups && at === null ? "lamp lamp-on" : "lamp"} />
        Live
      </button>
    </>
  );
}

interface UpdateFieldProps {
  readonly shown: number;
  readonly updates: number;
  readonly isEnabled: boolean;
  readonly onGo: (update: number) => void;
}

/** Keeps what is typed until Enter, or until it is left. */
function UpdateField({ shown, updates, isEnabled, onGo }: UpdateFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const go = (): void => {
    if (typed !== null && typed.trim() !== "") onGo(Number(typed));
    setTyped(null);
  };
  return (
    <form
      className="update-field"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <span className="label" aria-hidden="true">
        Update
      </span>
      <input
        className="input"
        inputMode="numeric"
        aria-label="Go to update"
        autoComplete="off"
        disabled={!isEnabled}
        value={typed ?? String(shown)}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={go}
      />
      <span aria-hidden="true">of {updates}</span>
    </form>
  );
}
