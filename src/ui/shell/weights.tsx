import { Suspense, useId, useState } from "react";
import { Icon } from "../icon.tsx";
import { useRun } from "../workbench-context.ts";
import { part } from "../part.tsx";

const WeightsMenu = part(() => import("./weights-menu.tsx"));

/** The weights of the update that is shown: to go on from there, and to take away. */
export function Weights({ shown }: { readonly shown: number }) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const hasAny = useRun("transport", (run) => run.restorable.length > 0);
  return (
    <>
      <button className="btn btn-quiet btn-icon weights" type="button" aria-label="Weights of this update" title="Weights of this update" popoverTarget={id} disabled={!hasAny}>
        <Icon name="weights" />
      </button>
      <div className="popover" id={id} popover="auto" onToggle={(event) => setIsOpen(event.newState === "open")}>
        {isOpen && (
          <Suspense>
            <WeightsMenu shown={shown} onDone={() => document.getElementById(id)?.hidePopover()} />
          </Suspense>
        )}
      </div>
    </>
  );
}
