import { PRESETS } from "#run/run-config.ts";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import { createDraftStore, type DraftStore } from "./draft-store.ts";
import { paceRun, type ReadableRun, type Visibility } from "./paced-store.ts";
import { createRunController, type RunController } from "./run-controller.ts";
import { createRunStore } from "./run-store.ts";
import { createViewStore, type ViewStore } from "./view-store.ts";

/** Everything the page stands on; made once, outside React. */
export interface Workbench {
  readonly draft: DraftStore;
  readonly view: ViewStore;
  readonly controller: RunController;
  /** The run at the pace each panel may redraw, one store each so that no two redraw in one task. */
  readonly run: {
    readonly transport: ReadableRun;
    readonly board: ReadableRun;
    readonly success: ReadableRun;
    readonly reliability: ReadableRun;
    readonly signal: ReadableRun;
    /** For the live region of screen readers. */
    readonly spoken: ReadableRun;
  };
}

export interface WorkbenchParts {
  readonly visibility: Visibility;
  connect(listener: TrainerListener): TrainerLink;
  drawSeed(): number;
}

export function createWorkbench({ visibility, connect, drawSeed }: WorkbenchParts): Workbench {
  const run = createRunStore();
  const draft = createDraftStore(PRESETS["refund-desk"]);
  const view = createViewStore();
  return {
    draft,
    view,
    controller: createRunController({ run, draft, view, connect, drawSeed }),
    run: {
      transport: paceRun(run, 8, visibility),
      board: paceRun(run, 4, visibility),
      success: paceRun(run, 2, visibility),
      reliability: paceRun(run, 2, visibility),
      signal: paceRun(run, 2, visibility),
      spoken: paceRun(run, 0.2, visibility),
    },
  };
}
