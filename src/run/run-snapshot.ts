import type { Arithmetic } from "#core/policy.ts";
import type { PolicyState } from "#engine/policy-backend.ts";
import type { RunConfig } from "./run-config.ts";

/** By the name of the network. */
export type NetworkStates = Readonly<Partial<Record<"critic" | "implicit" | "rewarding", PolicyState>>>;

/** A run as it stood right after an `update` event, with all it needs to go on from there. Plain data. */
export interface RunSnapshot {
  /** Of the run, in storage. */
  readonly name: string;
  /** What `update` was computed under. */
  readonly config: RunConfig;
  /** What the numbers so far were computed in. */
  readonly arithmetic: Arithmetic;
  readonly update: number;
  /** Totals so far. */
  readonly trajectories: number;
  readonly tokens: number;
  readonly policy: PolicyState;
  /** Of the second networks; absent where the run has none. */
  readonly networks?: NetworkStates;
}

/** What storage knows of a run whose page has ended. */
export interface KeptRun {
  readonly name: string;
  /** What it goes on under. */
  readonly config: RunConfig;
  readonly update: number;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
}
