import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createWorkbench } from "#store/workbench.ts";
import { App } from "#ui/app.tsx";
import { followSettings } from "#ui/settings.ts";
import { pageVisibility } from "#ui/visibility.ts";
import { WorkbenchContext } from "#ui/workbench-context.ts";
import "#ui/styles/index.css";
import { createFakeTrainer, type FakeTrainer } from "./fake-trainer.ts";

declare global {
  /** Set by the harness; how a test brings the page into a state. */
  var trainer: FakeTrainer;
}

globalThis.trainer = createFakeTrainer();
followSettings();
const workbench = createWorkbench({
  visibility: pageVisibility,
  connect: (listener) => globalThis.trainer.connect(listener),
  drawSeed: () => 4217,
});
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <WorkbenchContext value={workbench}>
      <App />
    </WorkbenchContext>
  </StrictMode>,
);
