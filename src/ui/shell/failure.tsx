import type { WireError } from "#run/wire-error.ts";
import { remedyOf } from "#store/remedy.ts";
import type { RunState } from "#store/run-state.ts";
import { titleAt } from "../controls/field.ts";
import { sentence } from "../format.ts";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { Action, Dismiss, Notice } from "./notice.tsx";

export const failureOf = ({ status, error }: RunState): WireError | null => (status === "failed" || status === "device-lost" ? error : null);

/** A run or a worker that broke down: its own words, and the ways on from there. */
export function Failure({ error }: { readonly error: WireError }) {
  const update = useRun("transport", (run) => run.update);
  const kept = useRun("transport", (run) => run.safety.kept);
  const neverStarted = useRun("transport", (run) => run.config === null);
  const message = useMessage(error);
  const actions = <Actions error={error} kept={kept} neverStarted={neverStarted} />;
  if (isBroken(error)) {
    return (
      <Notice icon="warning" title="The trainer stopped working">
        <p>
          {message} What was computed so far stays on screen{kept === null ? " until it is restarted." : "."}
          {kept !== null && ` The run was last kept after update ${kept}.`}
        </p>
        {actions}
      </Notice>
    );
  }
  if (error.code === "device-lost") {
    return (
      <Notice icon="warning" title="The graphics device was lost">
        <p>
          {message} The run ended at update {update}
          {kept === null ? "." : ` and was last kept after update ${kept}.`}
        </p>
        {actions}
      </Notice>
    );
  }
  return (
    <Notice icon="warning" title={neverStarted ? "The trainer is not ready" : update === 0 ? "The run could not start" : `The run failed after update ${update}`}>
      <p>
        {message}
        {kept !== null && ` It was last kept after update ${kept}.`}
      </p>
      {actions}
    </Notice>
  );
}

/** Its own words, the setting that it names called as the form calls it. */
function useMessage(error: WireError): string {
  const draft = useDraft((state) => state.draft);
  const setting = remedyOf(error)?.setting;
  return sentence(setting === undefined ? error.message : error.message.replaceAll(setting, `“${titleAt(draft, setting)}”`));
}

const isBroken = ({ code }: WireError): boolean => code === "worker" || code === "timeout";

interface ActionsProps {
  readonly error: WireError;
  readonly kept: number | null;
  readonly neverStarted: boolean;
}

/** The best way on first. */
function Actions({ error, kept, neverStarted }: ActionsProps) {
  const { controller } = useWorkbench();
  const draft = useDraft((state) => state.draft);
  const remedy = remedyOf(error);
  const on = (backend: "wasm" | "webgpu") => () => {
    controller.chooseBackend(backend);
    if (kept === null) controller.restart();
    else controller.goOn();
  };
  const verb = kept === null ? "Start again" : `Go on from update ${kept}`;
  return (
    <div className="actions">
      {remedy !== null && (
        <Action isPrimary onClick={() => controller.applyRemedy()}>
          {verb} with {titleAt(draft, remedy.setting).toLowerCase()} {remedy.value}
        </Action>
      )}
      {error.code === "device-lost" ? (
        <>
          <Action onClick={on("wasm")}>{verb} on the CPU</Action>
          <Action onClick={on("webgpu")}>{verb} on WebGPU</Action>
        </>
      ) : isBroken(error) ? (
        <>
          {kept !== null && (
            <Action isPrimary onClick={() => controller.goOn()}>
              {verb}
            </Action>
          )}
          <Action onClick={() => controller.reconnect()}>Restart the trainer</Action>
        </>
      ) : neverStarted ? (
        <Action onClick={() => controller.reconnect()}>Try again</Action>
      ) : (
        <>
          {kept !== null && remedy === null && <Action onClick={() => controller.goOn()}>{verb}</Action>}
          <Action onClick={() => controller.restart()}>Start again</Action>
        </>
      )}
      <Dismiss about={error} />
    </div>
  );
}
