import { createRoot, hydrateRoot } from "react-dom/client";
import type { Recording } from "#run/recording.ts";
import type { Workbench } from "#store/workbench.ts";
import { keepEarlyPresses } from "./early-presses.ts";
import { Page } from "./page.tsx";

/** It stands in the page as data; null where the page was built without one. */
export function readRecording(): Recording | null {
  const text = document.getElementById("recording")?.textContent ?? "";
  if (text === "") return null;
  const recording: Recording = JSON.parse(text);
  return recording.format === "turnwise-recording" && recording.version === 1 ? recording : null;
}

/** Takes over the markup the page was built with; draws it where there is none, as under the development server. */
export function mount(workbench: Workbench): void {
  const root = document.getElementById("root");
  if (root === null) throw new Error("the page has no #root");
  if (root.firstElementChild === null) createRoot(root).render(<Page workbench={workbench} />);
  else {
    keepEarlyPresses();
    workbench.gate.hold("markup");
    hydrateRoot(root, <Page workbench={workbench} />);
  }
}
