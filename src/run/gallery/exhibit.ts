import type { PresetId } from "../run-config.ts";

/** A configuration as a link says it: a preset and what differs from it, by dotted path, as text. */
export interface Setup {
  readonly preset: PresetId;
  readonly settings: Readonly<Record<string, string>>;
}

/** Another way to check or to pay, to be tried on the same policy. */
export interface Patch {
  readonly id: string;
  readonly title: string;
  /** What it changes, and what is to be expected of it. */
  readonly says: string;
  readonly setup: Setup;
}

/** A reward that can be had without doing the task, and what closes the hole. What was measured stands in its recording. */
export interface Exhibit {
  readonly title: string;
  /** What the policy learns to do, in a sentence. */
  readonly hack: string;
  /** To train with: the reward has the hole. */
  readonly setup: Setup;
  /** What the reward reads, and how its score is to be read: a share of attempts, or points that may exceed 1. */
  readonly check: { readonly name: string; readonly says: string; readonly scale: "share" | "points" };
  /** What tells the truth: always the strict verdict on held-out tasks. */
  readonly truth: string;
  /** The lines that believe it: consecutive and verbatim in `file`. */
  readonly exploits: { readonly file: string; readonly lines: readonly string[]; readonly says: string };
  /** Monitors of the environment that see the hack; they are shown and never rewarded. */
  readonly monitors: readonly string[];
  /** The call that is the hack, as far as one call is. */
  readonly call: string;
  readonly patches: readonly Patch[];
  /** Where it has been seen outside, or what should be known besides. */
  readonly note: string;
}
