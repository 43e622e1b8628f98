import { DeviceLostError } from "#core/errors.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { withRemedy } from "./remedy.ts";
import type { SessionNote, SessionPhase } from "./run-batch.ts";
import type { RunKeeper } from "./run-keeper.ts";
import type { OpenRun } from "./runtime.ts";

export const ENDINGS: ReadonlySet<RunEvent["type"]> = new Set(["run-finished", "run-failed", "device-lost"]);

/** One run of a session, as it stands. */
export interface ActiveRun {
  readonly number: number;
  readonly config: RunConfig;
  readonly keeper: RunKeeper;
  readonly name: string;
  mode: "running" | "stepping" | "paused" | "stopping";
  /** Updates to go until it pauses, when stepping. */
  stepsLeft: number;
  isRecovering: boolean;
  /** Shown as it was stored; nothing can come after it. */
  readonly isOver: boolean;
  readonly buffer: RunEvent[];
  readonly notes: SessionNote[];
  lastUpdate: number;
  /** Whether an update has just ended: only then the pace holds it. */
  isBetween: boolean;
  updateBegan: number;
  ending: "finished" | "failed" | null;
  open: OpenRun | null;
  wake: () => void;
  done: Promise<void>;
}

/** Functions, so that the compiler does not take the mode for what it was before a wait. */
export const isStopping = (run: ActiveRun): boolean => run.mode === "stopping";
export const isPaused = (run: ActiveRun): boolean => run.mode === "paused";

export function phaseOf(run: ActiveRun): SessionPhase {
  if (run.ending !== null) return run.ending;
  if (run.mode === "stopping") return "stopped";
  if (run.mode === "paused") return "paused";
  return run.isRecovering ? "recovering" : "running";
}

export function failure(error: unknown, { lastUpdate: update, config }: ActiveRun): RunEvent {
  if (error instanceof DeviceLostError) return { type: "device-lost", update, message: error.message };
  return { type: "run-failed", update, error: withRemedy(error, config) };
}

/** What can be gone back to, right after the newest of it was added. */
export function shelfNote({ updates }: Pick<RunKeeper, "updates">): SessionNote {
  return { type: "shelf", update: updates.at(-1) ?? 0, updates };
}

type Given = Pick<ActiveRun, "number" | "config" | "keeper" | "name" | "mode" | "isOver" | "lastUpdate" | "updateBegan">;

export const newRun = (given: Given): ActiveRun => ({
  ...given, stepsLeft: 0, isRecovering: false, buffer: [], notes: [], isBetween: false, ending: null, open: null, wake: () => {}, done: Promise.resolve(),
});
