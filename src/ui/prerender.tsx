import { prerender as render } from "react-dom/static";
import type { TrainerLink } from "#protocol/connect.ts";
import type { Recording } from "#run/recording.ts";
import { createWorkbench } from "#store/workbench.ts";
import { Page } from "./page.tsx";

/** Nothing is computed while the page is built. */
const never = new Promise<never>(() => {});
const SILENT: TrainerLink = {
  prepare: () => never, start: () => never, pause: () => never, resume: () => never, step: () => never, stop: () => never, snapshot: () => never, checkpoint: () => never,
  assess: () => never, forkOptions: () => never, fork: () => never, replay: () => never, playTask: () => never,
  setPace: () => never, setHidden: () => never, kept: () => never, forget: () => never, retryStorage: () => never, addPolicy: () => never,
  dispose: () => {},
};

/** The page before anything ran, as markup: what is seen before, and without, any script. */
export async function prerender(recording: Recording): Promise<string> {
  const workbench = createWorkbench({
    visibility: { hidden: () => false, subscribe: () => () => {} },
    recording,
    address: { read: () => "", replace: () => {}, isOwn: () => true, subscribe: () => () => {}, isPlay: () => false },
    connect: () => SILENT,
    drawSeed: () => 1,
  });
  // In one piece: nothing is to be put in its place by a script.
  const { prelude } = await render(<Page workbench={workbench} />, { progressiveChunkSize: Number.POSITIVE_INFINITY });
  return new Response(prelude).text();
}
