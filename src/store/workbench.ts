import { PRESETS } from "#run/run-config.ts";
import type { Recording } from "#run/recording.ts";
import type { TrainerLink, TrainerListener } from "#protocol/connect.ts";
import { createAssessor, type Assessor } from "./assessor.ts";
import { createBoardStore, type BoardStore } from "./board-store.ts";
import { createDraftStore, type DraftStore } from "./draft-store.ts";
import { createForkStore, type ForkStore } from "./fork-store.ts";
import { createLinkStore, type AddressBar, type LinkStore } from "./link-store.ts";
import { comesToRest, paceRun, type ReadableRun, type Visibility } from "./paced-store.ts";
import { firstView, keepFirstViewTrue, recordedGroup, type RecordedGroup } from "./recorded-group.ts";
import { createRunController, type RunController } from "./run-controller.ts";
import { createRunStore } from "./run-store.ts";
import { createStartGate, type StartGate } from "./start-gate.ts";
import { createScrubber, type Scrubber } from "./scrubber.ts";
import { createViewStore, type ViewStore } from "./view-store.ts";
import { createWalk, type Walk } from "./walk.ts";

/** Everything the page stands on; made once, outside React. */
export interface Workbench {
  readonly draft: DraftStore;
  readonly gate: StartGate;
  readonly view: ViewStore;
  readonly board: BoardStore;
  readonly assessor: Assessor;
  readonly forks: ForkStore;
  readonly controller: RunController;
  readonly scrubber: Scrubber;
  readonly links: LinkStore;
  readonly walk: Walk;
  /** The group that is shown before anything ran. */
  readonly recorded: RecordedGroup | null;
  /** The run as it is told, seen or not: for what goes on behind the page. */
  readonly live: ReadableRun;
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
  readonly recording: Recording | null;
  readonly address: AddressBar;
  connect(listener: TrainerListener): TrainerLink;
  drawSeed(): number;
}

export function createWorkbench({ visibility, recording, address, connect, drawSeed }: WorkbenchParts): Workbench {
  const run = createRunStore();
  const draft = createDraftStore(PRESETS["refund-desk"]);
  const gate = createStartGate();
  const recorded = recording === null ? null : recordedGroup(recording);
  const first = () => firstView(recorded, draft.getState().config);
  const view = createViewStore(first);
  keepFirstViewTrue({ draft, view, run, recorded });
  const controller = createRunController({ run, draft, view, gate, visibility, connect, drawSeed });
  const scrubber = createScrubber({ run, view });
  const board = createBoardStore();
  const assessor = createAssessor({ run, view, board, controller, recorded });
  const links = createLinkStore({ draft, gate, view, run, trainer: controller, recorded: () => first().held, address });
  return {
    draft,
    gate,
    view,
    board,
    assessor,
    forks: createForkStore({ run, view, controller, recorded, assessor }),
    controller,
    scrubber,
    links,
    walk: createWalk({ run, view, controller, scrubber, links }),
    recorded,
    live: run,
    run: {
      transport: paceRun(run, 8, visibility),
      board: paceRun(run, 4, visibility),
      success: paceRun(run, 2, visibility),
      reliability: paceRun(run, 2, visibility),
      signal: paceRun(run, 2, visibility),
      spoken: paceRun(run, 0.2, visibility, comesToRest),
    },
  };
}
