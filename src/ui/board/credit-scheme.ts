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
    case "reinforce":
      return { letter: "B", name: "REINFORCE", variant: credit.baseline === "mean" ? "batch mean" : "no baseline" };
    case "reinforce-plus-plus":
      return { letter: "W", name: "REINFORCE++", variant: "whitened, per token" };
    case "reinforce-plus-plus-baseline":
      return { letter: "Y", name: "REINFORCE++", variant: "group mean, whitened" };
    case "process":
      return { letter: "P", name: "Process reward", variant: "return-to-go" };
    case "process-immediate":
      return { letter: "X", name: "Process reward", variant: "centred too early, biased" };
    case "potential":
      return { letter: "E", name: "Potential", variant: "differences of progress" };
    case "mt-grpo":
      return { letter: "M", name: "MT-GRPO", variant: "first tool result" };
    case "gigpo":
      return { letter: "G", name: "GiGPO", variant: `γ ${credit.gamma}` };
    case "hgpo":
      return { letter: "H", name: "HGPO", variant: `${credit.historyLength} earlier states` };
    case "hierarchical":
      return { letter: "S", name: "Hierarchical", variant: "by sub-task" };
    case "critic":
      return { letter: "C", name: "Critic", variant: `GAE per ${credit.step}` };
    case "bilevel":
      return { letter: "L", name: "Bi-level critic", variant: "per token" };
    case "branching":
      return { letter: "V", name: "VinePPO", variant: `${credit.branches} branches` };
    case "istar":
      return { letter: "I", name: "iStar", variant: credit.form === "default" ? "summed" : "as released" };
    case "prime":
      return { letter: "Q", name: "PRIME", variant: "per token" };
    case "truth":
      return { letter: "T", name: "Truth", variant: "skill" };
    case "dial":
      return { letter: "D", name: "Dial", variant: `${Math.round(100 * credit.share)} % truth` };
    case "random":
      return { letter: "N", name: "Random", variant: "control" };
    default:
      return credit satisfies never;
  }
}
