import { useId } from "react";
import { useStore } from "zustand";
import { isUnderWay } from "#store/selectors.ts";
import type { BackendChoice, BackendReport } from "#trainer/runtime.ts";
import { BACKEND_NAMES } from "../format.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { Speed } from "./speed.tsx";
import { Input } from "../controls/native.tsx";

const CHOICES: readonly { readonly choice: BackendChoice; readonly title: string; readonly detail: string }[] = [
  { choice: "automatic", title: "Automatic", detail: "WASM at once; WebGPU where a real GPU is faster" },
  { choice: "wasm", title: "WASM", detail: "The processor, with SIMD" },
  { choice: "webgpu", title: "WebGPU", detail: "The graphics processor" },
];

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;

const memoryText = ({ needed, limit }: NonNullable<BackendReport["memory"]>): string =>
  `The policy takes about ${megabytes(needed)} of memory${Number.isFinite(limit) ? `; there can be ${megabytes(limit)}` : ""}.`;

/** Which backend there is and why, what a run takes of its memory, and what to use instead; how fast the run may go. */
export default function BackendMenu({ backend }: { readonly backend: BackendReport | null }) {
  const { controller } = useWorkbench();
  const chosen = useStore(controller.control, (control) => control.choice);
  const underWay = useRun("transport", isUnderWay);
  const id = useId();
  return (
    <>
      <h2>{backend === null ? "Choosing a backend" : `Computing on ${BACKEND_NAMES[backend.backend]}, ${backend.arithmetic}`}</h2>
      <p>{backend === null ? "The trainer is looking at what this browser offers." : backend.reason}</p>
      {backend?.memory !== undefined && <p>{memoryText(backend.memory)}</p>}
      <fieldset>
        <legend className="field-label">{underWay ? "For the next start" : "Use"}</legend>
        {CHOICES.map(({ choice, title, detail }) => {
          const option = backend?.options.find((known) => known.backend === choice);
          return (
            <label className="choice" key={choice}>
              <Input
                type="radio"
                name={id}
                value={choice}
                checked={chosen === choice}
                disabled={option?.available === false}
                onChange={() => controller.chooseBackend(choice)}
              />
              <span>{title}</span>
              <small>{option?.detail ?? detail}</small>
            </label>
          );
        })}
      </fieldset>
      <div className="speed-row">
        <span>Speed</span>
        <Speed />
      </div>
    </>
  );
}
