import { useState } from "react";
import { useShallow } from "zustand/shallow";
import type { RunState } from "#store/run-state.ts";
import { saveWeights } from "../save-file.ts";
import { sentence } from "../format.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";

interface WeightsMenuProps {
  /** The update that is looked at. */
  readonly shown: number;
  readonly onDone: () => void;
}

/** Of the update that is shown, or of the nearest before it whose weights are kept; the first where none is before. */
const nearest = (updates: readonly number[], shown: number): number | undefined => updates.findLast((update) => update <= shown) ?? updates[0];

export default function WeightsMenu({ shown, onDone }: WeightsMenuProps) {
  const { controller } = useWorkbench();
  const { restorable, update: newest, backend } = useRun(
    "transport",
    useShallow(({ restorable, update, backend }: RunState) => ({ restorable, update, backend })),
  );
  const [fault, setFault] = useState("");
  const update = nearest(restorable, shown);
  if (update === undefined) return <p>Weights are kept once a run has an update behind it.</p>;

  const download = async (): Promise<void> => {
    const fault = await saveWeights(controller, update);
    setFault(fault === null ? "" : sentence(fault));
  };
  const isSame = backend?.arithmetic !== "webgpu";
  return (
    <>
      <h2>Weights after update {update}</h2>
      {update !== shown && (
        <p>
          Those of update {shown} were not kept. Of a long run the newest are, the evaluated ones and every so many of the rest.
        </p>
      )}
      <p>
        {update < newest
          ? `Going on from here takes back ${newest === update + 1 ? `update ${newest}` : `updates ${update + 1} to ${newest}`}. Computed again they come out ${isSame ? "the same" : "nearly the same, as far as WebGPU repeats itself"}.`
          : "This is the newest update: there is nothing to take back."}
      </p>
      <div className="actions">
        <button
          className="btn"
          type="button"
          disabled={update >= newest}
          onClick={() => {
            controller.goBack(update);
            onDone();
          }}
        >
          Go on from update {update}
        </button>
        <button className="btn" type="button" onClick={() => void download()}>
          Download the weights
        </button>
      </div>
      <p className="note">
        A safetensors file; the command line starts runs from it. As an ONNX model they <a href="#/player">act through onnxruntime-web</a>.
      </p>
      <p role="status">{fault}</p>
    </>
  );
}
