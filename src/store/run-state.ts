import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport, GroupRecord, RunEvent, Subject, UpdateMetrics } from "#run/run-event.ts";
import type { WireError } from "#run/wire-error.ts";
import type { Assessed, Assessment } from "#run/assessment.ts";
import type { BackendReport, Practice } from "#trainer/runtime.ts";
import { findingsUpTo, NO_FINDINGS, withAssessment, type Findings } from "./assessments.ts";
import { reduceSafety, rewound, UNSECURED, type Safety, type SafetyEvent } from "./safety.ts";
import { withGroup } from "./kept-groups.ts";
import { appendUpdate, EMPTY_SERIES, type Series } from "./series.ts";

/** "recovering": a graphics device was lost and the run is being put back on its feet by itself. */
export type RunStatus = "idle" | "starting" | "running" | "paused" | "recovering" | "finished" | "failed" | "device-lost";

export interface GroupEntry {
  readonly update: number;
  readonly group: GroupRecord;
  /** Of a group that came in a link: the settings it was made with, and what came with it. The trainer knows nothing of it. */
  readonly linked?: {
    readonly config: RunConfig;
    readonly assessments: readonly Assessment[];
    /** Which members of the group they are, in the order shown. */
    readonly members: readonly number[];
    /** [G] of the whole group; null where the link does not say. */
    readonly rewards: readonly (number | null)[] | null;
  };
}

/** One evaluation on held-out tasks, as a point over the updates. */
export interface HeldoutPoint {
  readonly update: number;
  readonly passHat1: number;
  readonly interval: readonly [number, number];
}

export interface SubjectEvaluation {
  readonly update: number;
  readonly report: EvaluationReport;
}

export interface RunState {
  readonly status: RunStatus;
  /** Number of the run within this page; batches of another number are stale. */
  readonly run: number;
  readonly config: RunConfig | null;
  readonly started: Omit<Extract<RunEvent, { type: "run-started" }>, "type" | "config"> | null;
  readonly backend: BackendReport | null;
  /** The last finished update; 0 before the first. */
  readonly update: number;
  readonly latest: UpdateMetrics | null;
  readonly series: Series;
  /** Oldest first; of a long run the newest in full, older ones ever sparser, always the first. */
  readonly groups: readonly GroupEntry[];
  readonly heldout: readonly HeldoutPoint[];
  /** The newest of each subject on held-out tasks, and of the current policy on shifted ones. */
  readonly evaluations: Readonly<Partial<Record<Subject, SubjectEvaluation>>>;
  readonly shifted: SubjectEvaluation | null;
  /** Of the policy being trained, on held-out tasks, oldest first: what the scrubber goes back to. */
  readonly past: readonly SubjectEvaluation[];
  /** Updates at which the weights were fingerprinted, ahead of an evaluation. */
  readonly checkpoints: readonly number[];
  /** Updates after which the trainer still has the state: it can go back there. Ascending. */
  readonly restorable: readonly number[];
  readonly finished: Extract<RunEvent, { type: "run-finished" }> | null;
  readonly error: WireError | null;
  /** The update that was being computed when the run failed. */
  readonly failedAt: number | null;
  /** How far the judge has practised; null once it has, or where there is none. */
  readonly practice: Practice | null;
  readonly safety: Safety;
  readonly findings: Findings;
  /** Mean of the last updates; null before the first. */
  readonly updatesPerSecond: number | null;
}

/** What the page itself knows of a run: commands sent and how the trainer answered. */
export type SessionEvent =
  | { readonly type: "session-starting"; readonly run: number; readonly config: RunConfig }
  | { readonly type: "session-backend"; readonly backend: BackendReport }
  | { readonly type: "session-paused" }
  | { readonly type: "session-running" }
  | { readonly type: "session-recovering" }
  /** All that there is of a run was told. */
  | { readonly type: "session-over" }
  /** Back to how a run stood, under a new number where another start goes on with it. */
  | { readonly type: "session-rewound"; readonly state: RunState; readonly run: number; readonly config: RunConfig }
  | { readonly type: "session-failed"; readonly error: WireError }
  | { readonly type: "session-reset" }
  /** The updates whose state the trainer can go back to. */
  | { readonly type: "session-shelf"; readonly updates: readonly number[] }
  | { readonly type: "session-practice"; readonly practice: Practice }
  | ({ readonly type: "session-assessed" } & Assessed)
  | SafetyEvent;

const HELDOUT_LIMIT = 150;
/** Weight of the newest update in the rate. */
const RATE_WEIGHT = 0.2;

export const INITIAL_RUN: RunState = {
  status: "idle", run: 0, config: null, started: null, backend: null, update: 0, latest: null, series: EMPTY_SERIES, groups: [],
  heldout: [], evaluations: {}, shifted: null, past: [], checkpoints: [], restorable: [], finished: null, error: null, failedAt: null, practice: null,
  safety: UNSECURED, findings: NO_FINDINGS, updatesPerSecond: null,
};

/** The one reducer: live events of the worker, events read from a file and the page's own marks go through it. Pure. */
export function reduceRun(state: RunState, event: RunEvent | SessionEvent): RunState {
  switch (event.type) {
    case "session-starting":
      return { ...INITIAL_RUN, status: "starting", run: event.run, config: event.config, backend: state.backend };
    case "session-backend":
      return { ...state, backend: event.backend };
    case "session-paused":
      return isUnderWay(state.status) ? { ...state, status: "paused" } : state;
    case "session-running":
      return state.status === "paused" || state.status === "recovering" || (state.status === "starting" && state.started !== null)
        ? { ...state, status: "running", safety: { ...state.safety, pausedHidden: null } }
        : state;
    case "session-recovering":
      return isUnderWay(state.status) ? { ...state, status: "recovering" } : state;
    case "session-over":
      return isUnderWay(state.status) ? { ...state, status: "finished" } : state;
    case "session-rewound":
      return {
        ...rewound(event.state, event.run, event.config),
        restorable: state.restorable.filter((update) => update <= event.state.update),
        findings: findingsUpTo(state.findings, event.state.update),
      };
    case "session-shelf":
      return { ...state, restorable: event.updates };
    case "session-failed":
      return { ...state, status: "failed", error: event.error, safety: { ...state.safety, isQuiet: false } };
    case "session-reset":
      return { ...INITIAL_RUN, run: state.run + 1, backend: state.backend, safety: { ...UNSECURED, offer: state.safety.offer } };
    case "session-practice":
      return { ...state, practice: event.practice };
    case "session-assessed":
      return { ...state, findings: withAssessment(state.findings, event) };
    case "run-started": {
      const { type: _, config, ...started } = event;
      // What it was opened with is what it goes on under: an old run may have been changed since without a word.
      return { ...state, status: state.status === "paused" ? "paused" : "running", config: state.config ?? config, started };
    }
    case "settings-changed":
      return { ...state, config: event.config };
    case "group":
      return { ...state, practice: null, groups: withGroup(state.groups, { update: event.update, group: event.group }) };
    case "update":
      return {
        ...state,
        update: event.update,
        latest: event.metrics,
        series: appendUpdate(state.series, event.update, event.metrics),
        updatesPerSecond: rateAfter(state.updatesPerSecond, event.timing.rollout + event.timing.learn),
      };
    case "evaluation":
      return reduceEvaluation(state, event);
    case "checkpoint":
      return { ...state, checkpoints: thinned([...state.checkpoints, event.update], HELDOUT_LIMIT) };
    case "device-lost":
      return { ...state, status: "device-lost", error: { code: "device-lost", message: event.message, detail: { update: event.update } } };
    case "run-failed":
      return { ...state, status: "failed", error: event.error, failedAt: event.update + 1 };
    case "run-finished":
      return {
        ...state,
        status: "finished",
        finished: event,
        evaluations: { ...state.evaluations, current: { update: event.updates, report: event.heldout } },
        past: withEvaluation(state.past, { update: event.updates, report: event.heldout }),
        shifted: { update: event.updates, report: event.shifted },
        heldout: withPoint(state.heldout, event.updates, event.heldout),
      };
    default:
      return { ...state, safety: reduceSafety(state.safety, event) };
  }
}

const isUnderWay = (status: RunStatus): boolean => status === "starting" || status === "running" || status === "paused" || status === "recovering";

function reduceEvaluation(state: RunState, event: Extract<RunEvent, { type: "evaluation" }>): RunState {
  const evaluation = { update: event.update, report: event.report };
  if (event.report.split === "shifted") return event.subject === "current" ? { ...state, shifted: evaluation } : state;
  if (event.report.split === "train") return state;
  return {
    ...state,
    evaluations: { ...state.evaluations, [event.subject]: evaluation },
    past: event.subject === "current" ? withEvaluation(state.past, evaluation) : state.past,
    heldout: event.subject === "prompted" ? state.heldout : withPoint(state.heldout, event.update, event.report),
  };
}

/** When full, every second goes, never the first or the last. */
function thinned<T>(entries: readonly T[], limit: number): readonly T[] {
  return entries.length > limit ? entries.filter((_, index) => index === 0 || (entries.length - 1 - index) % 2 === 0) : entries;
}

const withEvaluation = (past: readonly SubjectEvaluation[], evaluation: SubjectEvaluation): readonly SubjectEvaluation[] =>
  thinned([...past.filter(({ update }) => update !== evaluation.update), evaluation], HELDOUT_LIMIT);

/** The base policy's evaluation is the curve's first point. */
function withPoint(points: readonly HeldoutPoint[], update: number, report: EvaluationReport): readonly HeldoutPoint[] {
  const passHat1 = report.passHatK[0];
  const interval = report.passHatKInterval[0];
  if (passHat1 === undefined || interval === undefined) return points;
  return thinned([...points.filter((point) => point.update !== update), { update, passHat1, interval }], HELDOUT_LIMIT);
}

function rateAfter(rate: number | null, seconds: number): number | null {
  if (seconds <= 0) return rate;
  return rate === null ? 1 / seconds : 1 / ((1 - RATE_WEIGHT) / rate + RATE_WEIGHT * seconds);
}
