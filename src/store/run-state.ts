import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationReport, GroupRecord, RunEvent, Subject, UpdateMetrics } from "#run/run-event.ts";
import type { WireError } from "#run/wire-error.ts";
import type { BackendReport } from "#trainer/runtime.ts";
import { appendUpdate, EMPTY_SERIES, type Series } from "./series.ts";

export type RunStatus = "idle" | "starting" | "running" | "paused" | "finished" | "failed" | "device-lost";

export interface GroupEntry {
  readonly update: number;
  readonly group: GroupRecord;
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
  /** The newest, oldest first. */
  readonly groups: readonly GroupEntry[];
  readonly heldout: readonly HeldoutPoint[];
  /** The newest of each subject on held-out tasks, and of the current policy on shifted ones. */
  readonly evaluations: Readonly<Partial<Record<Subject, SubjectEvaluation>>>;
  readonly shifted: SubjectEvaluation | null;
  readonly finished: Extract<RunEvent, { type: "run-finished" }> | null;
  readonly error: WireError | null;
  /** Mean of the last updates; null before the first. */
  readonly updatesPerSecond: number | null;
}

/** What the page itself knows of a run: commands sent and how the trainer answered. */
export type SessionEvent =
  | { readonly type: "session-starting"; readonly run: number; readonly config: RunConfig }
  | { readonly type: "session-backend"; readonly backend: BackendReport }
  | { readonly type: "session-paused" }
  | { readonly type: "session-running" }
  | { readonly type: "session-failed"; readonly error: WireError }
  | { readonly type: "session-reset" };

/** Groups kept: the newest, for paging back. */
export const GROUP_LIMIT = 200;
const HELDOUT_LIMIT = 150;
/** Weight of the newest update in the rate. */
const RATE_WEIGHT = 0.2;

export const INITIAL_RUN: RunState = {
  status: "idle", run: 0, config: null, started: null, backend: null, update: 0, latest: null, series: EMPTY_SERIES, groups: [],
  heldout: [], evaluations: {}, shifted: null, finished: null, error: null, updatesPerSecond: null,
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
      return state.status === "paused" ? { ...state, status: "running" } : state;
    case "session-failed":
      return { ...state, status: "failed", error: event.error };
    case "session-reset":
      return { ...INITIAL_RUN, run: state.run + 1, backend: state.backend };
    case "run-started": {
      const { type: _, config, ...started } = event;
      return { ...state, status: state.status === "paused" ? "paused" : "running", config, started };
    }
    case "group":
      return { ...state, groups: [...state.groups, { update: event.update, group: event.group }].slice(-GROUP_LIMIT) };
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
      return state;
    case "device-lost":
      return { ...state, status: "device-lost", error: { code: "device-lost", message: event.message, detail: { update: event.update } } };
    case "run-failed":
      return { ...state, status: "failed", error: event.error };
    case "run-finished":
      return {
        ...state,
        status: "finished",
        finished: event,
        evaluations: { ...state.evaluations, current: { update: event.updates, report: event.heldout } },
        shifted: { update: event.updates, report: event.shifted },
        heldout: withPoint(state.heldout, event.updates, event.heldout),
      };
    default:
      return event satisfies never;
  }
}

const isUnderWay = (status: RunStatus): boolean => status === "starting" || status === "running" || status === "paused";

function reduceEvaluation(state: RunState, event: Extract<RunEvent, { type: "evaluation" }>): RunState {
  const evaluation = { update: event.update, report: event.report };
  if (event.report.split === "shifted") return event.subject === "current" ? { ...state, shifted: evaluation } : state;
  if (event.report.split === "train") return state;
  return {
    ...state,
    evaluations: { ...state.evaluations, [event.subject]: evaluation },
    heldout: event.subject === "prompted" ? state.heldout : withPoint(state.heldout, event.update, event.report),
  };
}

/** The base policy's evaluation is the curve's first point. When full, every second point goes, never the last. */
function withPoint(points: readonly HeldoutPoint[], update: number, report: EvaluationReport): readonly HeldoutPoint[] {
  const passHat1 = report.passHatK[0];
  const interval = report.passHatKInterval[0];
  if (passHat1 === undefined || interval === undefined) return points;
  const next = [...points.filter((point) => point.update !== update), { update, passHat1, interval }];
  return next.length > HELDOUT_LIMIT ? next.filter((_, index) => index === 0 || (next.length - 1 - index) % 2 === 0) : next;
}

function rateAfter(rate: number | null, seconds: number): number | null {
  if (seconds <= 0) return rate;
  return rate === null ? 1 / seconds : 1 / ((1 - RATE_WEIGHT) / rate + RATE_WEIGHT * seconds);
}
