import type { RunConfig } from "#run/run-config.ts";

type CreditConfig = RunConfig["algorithm"]["credit"];

export interface SchemeName {
  /** Schemes are told apart by place and letter, never by colour. */
  readonly letter: string;
  readonly name: string;
  /** Which of the formulas that go by the name. */
  readonly variant: string;
}

export function schemeName(credit: CreditConfig): SchemeName {
  switch (credit.id) {
    case "flat": {
      const std = credit.std === "none" ? "not divided" : `${credit.std} σ`;
      return { letter: "F", name: "Flat GRPO", variant: credit.leaveOneOut ? `${std}, leave one out` : std };
    }
    case "leave-one-out":
      return { letter: "R", name: "RLOO", variant: "not divided" };
    default:
      return credit satisfies never;
  }
}
