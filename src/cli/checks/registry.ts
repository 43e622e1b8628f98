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
  "truth-speed": async () => (await import("./truth-speed.ts")).truthSpeed,
};

export const CHECK_NAMES: readonly string[] = Object.keys(CHECKS);

export const isCheckName = (name: string): boolean => Object.hasOwn(CHECKS, name);
