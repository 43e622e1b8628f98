export interface Check {
  /** @param progress takes a line for the person who waits. */
  run(progress: (line: string) => void): Promise<CheckResult>;
}

export interface CheckResult {
  readonly passed: boolean;
  /** What was measured, by name, with its unit in the name or the value. */
  readonly figures: Readonly<Record<string, number | string>>;
}

/** The must-shows that take minutes: one file here and one line each. */
export const CHECKS: Readonly<Record<string, () => Promise<Check>>> = {
  "refund-desk-learns": async () => (await import("./refund-desk-learns.ts")).refundDeskLearns,
  "blank-learns-nothing": async () => (await import("./blank-learns-nothing.ts")).blankLearnsNothing,
  "truth-balances": async () => (await import("./truth-balances.ts")).truthBalances,
  "schemes-learn": async () => (await import("./schemes-learn.ts")).schemesLearn,
  "coin-flip": async () => (await import("./coin-flip.ts")).coinFlip,
  "truth-speed": async () => (await import("./truth-speed.ts")).truthSpeed,
  "sokoban-generates": async () => (await import("./sokoban-generates.ts")).sokobanGenerates,
  "sokoban-solves": async () => (await import("./sokoban-solves.ts")).sokobanSolves,
  "sokoban-truth": async () => (await import("./sokoban-truth.ts")).sokobanTruth,
  "sokoban-learns": async () => (await import("./sokoban-learns.ts")).sokobanLearns,
  "sandbox-heap": async () => (await import("./sandbox-heap.ts")).sandboxHeap,
  "js-sandbox-learns": async () => (await import("./js-sandbox-learns.ts")).jsSandboxLearns,
  "js-sandbox-hacked": async () => (await import("./js-sandbox-hacked.ts")).jsSandboxHacked,
  gallery: async () => (await import("./gallery.ts")).gallery,
};

export const CHECK_NAMES: readonly string[] = Object.keys(CHECKS);

export const isCheckName = (name: string): boolean => Object.hasOwn(CHECKS, name);
