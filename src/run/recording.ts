import type { Arithmetic } from "#core/policy.ts";
import type { Assessment } from "./assessment.ts";
import type { GroupRecord } from "./run-event.ts";

/** A group shown before anything runs, with the numbers it can be sampled again from. */
export interface Recording {
  readonly format: "turnwise-recording";
  readonly version: 1;
  readonly preset: string;
  /** Of the policy that played it. */
  readonly fingerprint: string;
  readonly arithmetic: Arithmetic;
  readonly seed: number;
  /** Index of the training task, and of the attempts at it that are shown, one a role. */
  readonly task: number;
  readonly attempts: readonly number[];
  readonly roles: readonly string[];
  readonly group: GroupRecord;
  /** Given the history, then given the hidden state. */
  readonly assessments: readonly Assessment[];
}
