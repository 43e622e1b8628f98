import { marksOf, recordedTrajectories, type Evidence } from "#run/evidence.ts";
import type { RunConfig } from "#run/run-config.ts";
import { knownOf, knownSchemes } from "./assessor.ts";
import { changedOnTheWay } from "./changed-on-the-way.ts";
import { boardRows } from "./credit-board.ts";
import type { Workbench } from "./workbench.ts";
import { newestGroup } from "./selectors.ts";

export interface OwnEvidence {
  /** What the run was made with, whatever is being edited. */
  readonly config: RunConfig;
  readonly evidence: Evidence;
}

/**
 * What the run so far can show of itself, with up to so many trajectories of the group on the board. Null before its first update, and of a
 * run whose settings were changed on the way: no link leads to the same again.
 */
export function ownEvidence({ controller, run, view, recorded }: Pick<Workbench, "controller" | "run" | "view" | "recorded">, count: number): OwnEvidence | null {
  const state = run.transport.getState();
  const events = controller.events();
  const marks = marksOf(events);
  if (marks === null || state.config === null || changedOnTheWay(events, state.config) !== null) return null;
  const { held } = view.getState();
  const isOwn = held !== null && held !== recorded?.entry && held.linked === undefined;
  const entry = isOwn ? held : newestGroup(state);
  if (entry === null || count === 0) return { config: state.config, evidence: { ...marks, trajectories: null } };
  const schemes = knownSchemes(entry, "history", state.findings, recorded).filter(({ id }) => id !== "truth");
  const rows = boardRows(entry.group, schemes).map(({ id, config, reward, summed, credits }) => ({ id, config, reward, summed, credits }));
  const truth = knownOf(entry, "history", state.findings, recorded)?.truth ?? null;
  return { config: state.config, evidence: { ...marks, trajectories: recordedTrajectories(entry.update, entry.group, rows, truth, count) } };
}
