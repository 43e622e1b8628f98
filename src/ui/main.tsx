import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { connectTrainer } from "#protocol/connect.ts";
import { createWorkbench } from "#store/workbench.ts";
import { App } from "./app.tsx";
import { followSettings } from "./settings.ts";
import { pageVisibility } from "./visibility.ts";
import { WorkbenchContext } from "./workbench-context.ts";
import "./styles/index.css";

followSettings();
const workbench = createWorkbench({
  visibility: pageVisibility,
  connect: (listener) => connectTrainer(listener),
  drawSeed: () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 1,
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
