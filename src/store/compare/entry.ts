import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport, RunEvent } from "#run/run-event.ts";
import type { SettingsStep } from "#run/settings-changes.ts";
import { INITIAL_RUN, reduceRun, type RunState } from "../run-state.ts";
import { isUnderWay } from "../selectors.ts";

/** A kept run as far as a comparison needs it. */
export interface LoadedRun {
  readonly name: string;
  readonly config: RunConfig;
  readonly state: RunState;
  /** Settings that were changed on its way: the last ones are `config`. */
  readonly changes: readonly SettingsStep[];
  /** Null where the run is known without its weights. */
  readonly weights: { readonly update: number; readonly weights: Float32Array<ArrayBuffer> } | null;
}

/** What is compared: one run, or several that differ in nothing but their seed. */
export interface ComparedEntry {
  readonly title: string;
  /** By seed, at least one. */
  readonly runs: readonly LoadedRun[];
}

/** Two to four: a fifth run would need a colour that cannot be told apart. */
export const FEWEST_COMPARED = 2;
export const MOST_COMPARED = 4;

export const letterOf = (index: number): string => String.fromCharCode(65 + index);

/** Through the one reducer, without groups: they are of no use here. */
export function stateOf(config: RunConfig, events: readonly RunEvent[]): RunState {
  const started: RunState = { ...INITIAL_RUN, config };
  const state = events.reduce<RunState>((before, event) => (event.type === "group" ? before : reduceRun(before, event)), started);
  return isUnderWay(state) ? { ...state, status: "paused" } : state;
}

/** The newest evaluation of the policy that was trained, on held-out tasks. */
export const lastEvaluation = ({ state }: LoadedRun): { readonly update: number; readonly report: EvaluationReport } | null => state.evaluations.current ?? null;
