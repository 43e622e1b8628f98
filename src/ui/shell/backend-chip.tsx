import { Suspense, useId } from "react";
import { useShallow } from "zustand/shallow";
import type { BackendReport } from "#trainer/runtime.ts";
import type { RunState, RunStatus } from "#store/run-state.ts";
import { BACKEND_NAMES } from "../format.ts";
import { useRun } from "../workbench-context.ts";
import { part } from "../part.tsx";

const BackendMenu = part(() => import("./backend-menu.tsx"));

/** What the numbers are computed on, why, and how to choose otherwise. */
export function BackendChip() {
  const id = useId();
  const { status, backend } = useRun("transport", useShallow(({ status, backend }: RunState) => ({ status, backend })));
  return (
    <>
      <button className="backend" type="button" popoverTarget={id}>
        <span className={lamp(status, backend)} />
        <span className="vh">Backend: </span>
        <span className="name">{backend === null ? <Choosing /> : BACKEND_NAMES[backend.backend]}</span>
        {backend !== null && <span className="rate">{backend.arithmetic === "webgpu" ? "" : backend.arithmetic}</span>}
      </button>
      <div className="popover" id={id} popover="auto">
        <Suspense>
          <BackendMenu backend={backend} />
        </Suspense>
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
