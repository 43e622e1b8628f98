import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { useDraft, useView, useWorkbench } from "../workbench-context.ts";

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
  return frame === null ? null : <WholeLink />;
}

/** To what is set and looked at now: made of that, not of the address, which may be packed and comes later. */
function WholeLink() {
  const { links } = useWorkbench();
  const state = useStore(links);
  const config = useDraft((draft) => draft.config);
  const looked = useView((view) => view);
  const [fragment, setFragment] = useState<string>();
  useEffect(() => {
    let isLate = false;
    // What reads links has read this one: it is there.
    void links.unframed().then((next) => isLate || setFragment(next));
    return () => {
      isLate = true;
    };
  }, [links, state, config, looked]);
  return (
    <a className="btn btn-sm frame-link" href={fragment} target="_blank" rel="noopener">
      Open in Turnwise
    </a>
  );
}
