import { useShallow } from "zustand/shallow";
import type { RunState, RunStatus } from "#store/run-state.ts";
import { rate } from "../format.ts";
import { Icon, PauseIcon, PlayIcon } from "../icon.tsx";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { BackendChip } from "./backend-chip.tsx";

/** Run, pause, one update, back to the same seed, another seed; how far the run is; what it runs on. */
export function Transport() {
  const { controller } = useWorkbench();
  const status = useRun("transport", (run) => run.status);
  const seed = useDraft((draft) => draft.config.seed);
  const invalid = useDraft((draft) => draft.issue !== null);
  const isRunning = status === "running" || status === "starting";
  const isIdle = status === "idle";
  return (
    <section className="transport" aria-label="Transport">
      <div className="transport-keys">
        <button
          className={isIdle ? "btn btn-icon play" : "btn btn-primary btn-icon play"}
          type="button"
          aria-label={isRunning ? "Pause" : status === "paused" ? "Resume" : "Run"}
          title={isRunning ? "Pause (Space)" : "Run (Space)"}
          disabled={invalid && !isRunning && status !== "paused"}
          onClick={() => controller.toggle()}
        >
          {isRunning ? <PauseIcon /> : <PlayIcon />}
        </button>
        <button className="btn btn-quiet btn-icon" type="button" aria-label="One update" title="One update (.)" disabled={isRunning || invalid} onClick={() => controller.step()}>
          <Icon name="step" />
        </button>
        <button className="btn btn-quiet reset" type="button" aria-label={`Reset, seed ${seed}`} title="Back to the start of the same run (R)" disabled={isIdle} onClick={() => controller.reset()}>
          <Icon name="reset" />
          <span>
            Reset<span className="label">, seed {seed}</span>
          </span>
        </button>
        <button className="btn btn-quiet new-seed" type="button" aria-label="New seed" title="Reset to another seed (Shift R)" onClick={() => controller.newSeed()}>
          <Icon name="dice" />
          <span className="label">New seed</span>
        </button>
      </div>
      <Progress />
      <BackendChip />
    </section>
  );
}

const STATUS: Readonly<Record<RunStatus, string>> = {
  idle: "not started",
  starting: "starting",
  running: "running",
  paused: "paused",
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
}

function statusText({ status, update, updates, updatesPerSecond, hasGroups }: Standing): string {
  if (status !== "running") return STATUS[status];
  if (update === 0 && hasGroups) return "measuring the start";
  if (update >= updates) return "final evaluation";
  return updatesPerSecond === null ? STATUS.running : `running, ${rate(updatesPerSecond)}`;
}

function Progress() {
  const edited = useDraft((draft) => draft.config.updates);
  const progress = useRun(
    "transport",
    useShallow(({ status, update, updatesPerSecond, config, groups }: RunState) => ({
      status, update, updatesPerSecond, updates: config?.updates ?? null, hasGroups: groups.length > 0,
    })),
  );
  const updates = progress.updates ?? edited;
  return (
    <>
      <div className="progress">
        <progress aria-label="Updates done" max={updates} value={progress.update} />
      </div>
      <p className="readout">
        <b>
          Update {progress.update}
          <span className="label"> of {updates}</span>
        </b>
        <small>{statusText({ ...progress, updates })}</small>
      </p>
    </>
  );
}

/** For screen readers: how the run stands, at most once in five seconds. */
export function Spoken() {
  const text = useRun("spoken", ({ status, update, config, latest }) => {
    if (status === "idle" || config === null) return "";
    const success = latest === null ? "" : `, training success ${latest.success.toFixed(2)}`;
    return `Run ${STATUS[status]}, update ${update} of ${config.updates}${success}`;
  });
  return (
    <p className="vh" role="status">
      {text}
    </p>
  );
}

