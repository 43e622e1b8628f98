import { StrictMode } from "react";
import type { Workbench } from "#store/workbench.ts";
import { App } from "./app.tsx";
import { WorkbenchContext } from "./workbench-context.ts";

/** What stands in #root: written into the page as it is built, taken over as it opens. */
export const Page = ({ workbench }: { readonly workbench: Workbench }) => (
  <StrictMode>
    <WorkbenchContext value={workbench}>
      <App />
    </WorkbenchContext>
  </StrictMode>
);
