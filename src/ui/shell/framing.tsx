import { useEffect } from "react";
import { useStore } from "zustand";
import { useWorkbench } from "../workbench-context.ts";

/** In somebody else's page: one panel, in the theme that was chosen, and the way to the whole. The style sheet does the rest. */
export function Framing() {
  const { links, view } = useWorkbench();
  const frame = useStore(links, (state) => state.frame);
  useEffect(() => {
    if (frame === null) return undefined;
    const { dataset } = document.documentElement;
    const before = dataset["theme"];
    dataset["frame"] = frame.panel;
    if (frame.theme !== "system") dataset["theme"] = frame.theme;
    view.show(frame.panel);
    return () => {
      delete dataset["frame"];
      if (before === undefined) delete dataset["theme"];
      else dataset["theme"] = before;
    };
  }, [frame, view]);
  if (frame === null) return null;
  return (
    <a className="btn btn-sm frame-link" href={location.href.replace(/&embed=1&panel=[a-z]+&theme=[a-z]+/, "")} target="_blank" rel="noopener">
      Open in Turnwise
    </a>
  );
}
