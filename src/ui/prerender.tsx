import { renderToString } from "react-dom/server";
import type { TrainerLink } from "#protocol/connect.ts";
import type { Recording } from "#run/recording.ts";
import { createWorkbench } from "#store/workbench.ts";
import { Page } from "./page.tsx";

/** Nothing is computed while the page is built. */
const never = new Promise<never>(() => {});
const SILENT: TrainerLink = {
  prepare: () => never, start: () => never, pause: () => never, resume: () => never, step: () => never, stop: () => never, snapshot: () => never,
  setPace: () => never, setHidden: () => never, kept: () => never, forget: () => never,
  dispose: () => {},
};

/** The page before anything ran, as markup: what is seen before, and without, any script. */
export function prerender(recording: Recording): string {
  const workbench = createWorkbench({
    visibility: { hidden: () => false, subscribe: () => () => {} },
    recording,
    address: { read: () => "", replace: () => {}, subscribe: () => () => {}, isPlay: () => false },
    connect: () => SILENT,
    drawSeed: () => 1,
  });
  return renderToString(<Page workbench={workbench} />);
}
