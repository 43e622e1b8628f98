import { useState } from "react";
import type { WireError } from "#run/wire-error.ts";
import type { RunState } from "#store/run-state.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { sentence } from "../format.ts";
import { Notice } from "./notice.tsx";

const failureOf = ({ status, error }: RunState): WireError | null => (status === "failed" || status === "device-lost" ? error : null);

/** A run or a worker that broke down: its own words, and the ways on from there. */
export function Failure() {
  const error = useRun("transport", failureOf);
  const [dismissed, setDismissed] = useState<WireError | null>(null);
  if (error === null || error === dismissed) return null;
  return (
    <section className="alert" aria-label="Failure" role="alert">
      <FailureNotice error={error} onDismiss={() => setDismissed(error)} />
    </section>
  );
}

function FailureNotice({ error, onDismiss }: { readonly error: WireError; readonly onDismiss: () => void }) {
  const { controller } = useWorkbench();
  const update = useRun("transport", (run) => run.update);
  const neverStarted = useRun("transport", (run) => run.config === null);
  const dismiss = (
    <button className="btn btn-quiet" type="button" onClick={onDismiss}>
      Dismiss
    </button>
  );
  if (error.code === "worker" || error.code === "timeout") {
    return (
      <Notice icon="warning" title="The trainer stopped working">
        <p>{sentence(error.message)} What was computed so far stays on screen until it is restarted.</p>
        <div className="actions">
          <button className="btn" type="button" onClick={() => controller.reconnect()}>
            Restart the trainer
          </button>
          {dismiss}
        </div>
      </Notice>
    );
  }
  if (error.code === "device-lost") {
    const startOn = (backend: "wasm" | "webgpu") => () => {
      controller.chooseBackend(backend);
      controller.restart();
    };
    return (
      <Notice icon="warning" title="The graphics device was lost">
        <p>
          {sentence(error.message)} The run ended at update {update}.
        </p>
        <div className="actions">
          <button className="btn" type="button" onClick={startOn("wasm")}>
            Start again on the CPU
          </button>
          <button className="btn" type="button" onClick={startOn("webgpu")}>
            Start again on WebGPU
          </button>
          {dismiss}
        </div>
      </Notice>
    );
  }
  if (neverStarted) {
    return (
      <Notice icon="warning" title="The trainer is not ready">
        <p>{sentence(error.message)}</p>
        <div className="actions">
          <button className="btn" type="button" onClick={() => controller.reconnect()}>
            Try again
          </button>
          {dismiss}
        </div>
      </Notice>
    );
  }
  return (
    <Notice icon="warning" title={update === 0 ? "The run could not start" : `The run failed after update ${update}`}>
      <p>{sentence(error.message)}</p>
      <div className="actions">
        <button className="btn" type="button" onClick={() => controller.restart()}>
          Start again
        </button>
        {dismiss}
      </div>
    </Notice>
  );
}
