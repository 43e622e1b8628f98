import { useId } from "react";
import { useStore } from "zustand";
import { useShallow } from "zustand/shallow";
import type { BackendChoice, BackendReport } from "#trainer/runtime.ts";
import { isUnderWay } from "#store/selectors.ts";
import type { RunState, RunStatus } from "#store/run-state.ts";
import { useRun, useWorkbench } from "../workbench-context.ts";
import { Speed } from "./speed.tsx";

const NAMES: Readonly<Record<BackendReport["backend"], string>> = { wasm: "WASM", webgpu: "WebGPU", reference: "Reference" };

/** What the numbers are computed on, why, and how to choose otherwise. */
export function BackendChip() {
  const id = useId();
  const { status, backend } = useRun("transport", useShallow(({ status, backend }: RunState) => ({ status, backend })));
  return (
    <>
      <button className="backend" type="button" popoverTarget={id}>
        <span className={lamp(status, backend)} />
        <span className="vh">Backend: </span>
        <span className="name">{backend === null ? <Choosing /> : NAMES[backend.backend]}</span>
        {backend !== null && <span className="rate">{backend.arithmetic === "webgpu" ? "" : backend.arithmetic}</span>}
      </button>
      <div className="popover" id={id} popover="auto">
        <BackendMenu backend={backend} />
        <div className="speed-row">
          <span>Speed</span>
          <Speed />
        </div>
      </div>
    </>
  );
}

/** Short, as there is little room on a phone. */
const Choosing = () => (
  <>
    <span aria-hidden="true">…</span>
    <span className="vh">being chosen</span>
  </>
);

function lamp(status: RunStatus, backend: BackendReport | null): string {
  if (backend === null || status === "starting" || status === "recovering" || status === "paused") return "lamp lamp-half";
  return status === "running" ? "lamp lamp-on" : "lamp";
}

const CHOICES: readonly { readonly choice: BackendChoice; readonly title: string; readonly detail: string }[] = [
  { choice: "automatic", title: "Automatic", detail: "WASM at once; WebGPU where a real GPU is faster" },
  { choice: "wasm", title: "WASM", detail: "The processor, with SIMD" },
  { choice: "webgpu", title: "WebGPU", detail: "The graphics processor" },
];

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;

const memoryText = ({ needed, limit }: NonNullable<BackendReport["memory"]>): string =>
  `The policy takes about ${megabytes(needed)} of memory${Number.isFinite(limit) ? `; there can be ${megabytes(limit)}` : ""}.`;

function BackendMenu({ backend }: { readonly backend: BackendReport | null }) {
  const { controller } = useWorkbench();
  const chosen = useStore(controller.control, (control) => control.choice);
  const underWay = useRun("transport", isUnderWay);
  const id = useId();
  return (
    <>
      <h2>{backend === null ? "Choosing a backend" : `Computing on ${NAMES[backend.backend]}, ${backend.arithmetic}`}</h2>
      <p>{backend === null ? "The trainer is looking at what this browser offers." : backend.reason}</p>
      {backend?.memory !== undefined && <p>{memoryText(backend.memory)}</p>}
      <fieldset>
        <legend className="field-label">{underWay ? "For the next start" : "Use"}</legend>
        {CHOICES.map(({ choice, title, detail }) => {
          const option = backend?.options.find((known) => known.backend === choice);
          return (
            <label className="choice" key={choice}>
              <input
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
    </>
  );
}
