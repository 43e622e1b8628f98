import { useStore } from "zustand";
import { Icon, PauseIcon, PlayIcon } from "../icon.tsx";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { BackendChip } from "./backend-chip.tsx";
import { Readout, STATUS } from "./readout.tsx";
import { Scrubber } from "./scrubber.tsx";
import { Speed } from "./speed.tsx";

/** Run, pause, one update, back to the same seed, another seed; how far the run is; what it runs on. */
export function Transport() {
  const { controller, gate, links } = useWorkbench();
  const isSeedLocked = useStore(links, ({ locks }) => locks.includes("seed"));
  const status = useRun("transport", (run) => run.status);
  const seed = useDraft((draft) => draft.config.seed);
  const invalid = useDraft((draft) => draft.issue !== null);
  const isAwaited = useStore(gate, (state) => state.isAwaited);
  const isRunning = isAwaited || status === "running" || status === "starting";
  const isIdle = status === "idle";
  const run = status === "finished" ? "Run again" : "Run";
  return (
    <section className={isIdle ? "transport is-idle" : "transport"} aria-label="Transport">
      <div className="transport-keys">
        <button
          className={isIdle ? "btn btn-icon play" : "btn btn-primary btn-icon play"}
          type="button"
          aria-label={isRunning ? "Pause" : status === "paused" ? "Resume" : run}
          title={isRunning ? "Pause (Space)" : status === "finished" ? run : "Run (Space)"}
          disabled={invalid && !isRunning && status !== "paused"}
          onClick={() => controller.toggle()}
        >
          {isRunning ? <PauseIcon /> : <PlayIcon />}
        </button>
        <button className="btn btn-quiet btn-icon" type="button" aria-label="One update" title={status === "finished" ? `${run}, one update` : "One update (.)"} disabled={isRunning || invalid} onClick={() => controller.step()}>
          <Icon name="step" />
        </button>
        <button className="btn btn-quiet reset" type="button" aria-label={`Reset, seed ${seed}`} title="Back to the start of the same run (R)" disabled={isIdle} onClick={() => controller.reset()}>
          <Icon name="reset" />
          <span>
            Reset<span className="label">, seed {seed}</span>
          </span>
        </button>
        <button className="btn btn-quiet new-seed" type="button" aria-label="New seed" title={isSeedLocked ? "Locked by the link" : "Reset to another seed (Shift R)"} disabled={isSeedLocked} onClick={() => controller.newSeed()}>
          <Icon name="dice" />
          <span className="label">New seed</span>
        </button>
        <Speed />
      </div>
      <Scrubber />
      <Readout />
      <BackendChip />
    </section>
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

