import type { RunConfig } from "#run/run-config.ts";
import type { KeptRun } from "#run/run-snapshot.ts";
import type { ArchiveFault } from "#trainer/run-archive.ts";
import type { BackendReport } from "#trainer/runtime.ts";
import type { RunState } from "./run-state.ts";

/** How well a run is secured, and what it has been through. */
export interface Safety {
  /** From the end of this update the run can go on; null before the first snapshot. */
  readonly kept: number | null;
  /** Why a reload would lose the run. */
  readonly storage: ArchiveFault | null;
  /** Paused because nobody saw the page for so many minutes. */
  readonly pausedHidden: number | null;
  /** A graphics device was lost; `backend` is what the run goes on with, null while that is being looked for. */
  readonly recovery: { readonly update: number; readonly message: string; readonly backend: BackendReport | null } | null;
  /** The trainer has given no sign for a while. */
  readonly isQuiet: boolean;
  /** A run that an ended page left behind. */
  readonly offer: KeptRun | null;
}

export const UNSECURED: Safety = { kept: null, storage: null, pausedHidden: null, recovery: null, isQuiet: false, offer: null };

export type SafetyEvent =
  | { readonly type: "session-kept"; readonly update: number }
  | { readonly type: "session-storage"; readonly fault: ArchiveFault | null }
  | { readonly type: "session-hidden"; readonly minutes: number }
  | { readonly type: "session-device-lost"; readonly update: number; readonly message: string }
  | { readonly type: "session-recovered"; readonly backend: BackendReport }
  | { readonly type: "session-quiet"; readonly isQuiet: boolean }
  | { readonly type: "session-offer"; readonly offer: KeptRun | null };

export function reduceSafety(safety: Safety, event: SafetyEvent): Safety {
  switch (event.type) {
    case "session-kept":
      return { ...safety, kept: event.update };
    case "session-storage":
      return { ...safety, storage: event.fault };
    case "session-hidden":
      return { ...safety, pausedHidden: event.minutes };
    case "session-device-lost":
      return { ...safety, recovery: { update: event.update, message: event.message, backend: null } };
    case "session-recovered":
      return safety.recovery === null ? safety : { ...safety, recovery: { ...safety.recovery, backend: event.backend } };
    case "session-quiet":
      return { ...safety, isQuiet: event.isQuiet };
    case "session-offer":
      return { ...safety, offer: event.offer };
    default:
      return event satisfies never;
  }
}

/** A run as it stood when its last update had ended: what came of the next one is taken back. */
export function rewound(state: RunState, run: number, config: RunConfig): RunState {
  const { update } = state;
  return {
    ...state,
    status: "starting",
    run,
    config,
    groups: state.groups.filter((entry) => entry.update <= update),
    finished: null,
    error: null,
    failedAt: null,
    safety: { ...state.safety, kept: update, pausedHidden: null, isQuiet: false },
  };
}
