import type { CreditConfig } from "#algorithms/credit/registry.ts";

export interface SchemeName {
  /** Schemes are told apart by place and letter, never by colour. */
  readonly letter: string;
  readonly name: string;
  /** Beside a bar, where there is little room. */
  readonly short: string;
  /** Which of the formulas that go by the name. */
  readonly variant: string;
}

const STD: Readonly<Record<"population" | "sample" | "none", string>> = { population: "population σ", sample: "sample σ", none: "not divided" };

/** The six of the board: T F P L C I, in the order of the keys 1 to 6. */
export function schemeName(credit: CreditConfig): SchemeName {
  switch (credit.id) {
    case "truth":
      return { letter: "T", name: "Truth", short: "Truth", variant: "skill" };
    case "flat":
      return { letter: "F", name: "Flat GRPO", short: "Flat", variant: credit.leaveOneOut ? `${STD[credit.std]}, leave one out` : STD[credit.std] };
    case "process":
      return { letter: "P", name: "Process reward", short: "Process", variant: "return-to-go" };
    case "gigpo":
      return { letter: "L", name: "Turn-level", short: "Turn", variant: `GiGPO, γ ${credit.gamma}` };
    case "critic":
      return { letter: "C", name: "Critic", short: "Critic", variant: `GAE per ${credit.step}, λ ${credit.lambda}` };
    case "istar":
      return { letter: "I", name: "Implicit step", short: "Implicit", variant: `iStar, β ${credit.beta}` };
    case "leave-one-out":
      return { letter: "R", name: "RLOO", short: "RLOO", variant: "not divided" };
    case "reinforce":
      return { letter: "B", name: "REINFORCE", short: "Reinf.", variant: credit.baseline === "mean" ? "batch mean" : "no baseline" };
    case "reinforce-plus-plus":
      return { letter: "W", name: "REINFORCE++", short: "R++", variant: "whitened, per token" };
    case "reinforce-plus-plus-baseline":
      return { letter: "Y", name: "REINFORCE++", short: "R++", variant: "group mean, whitened" };
    case "process-immediate":
      return { letter: "X", name: "Process reward", short: "Biased", variant: "centred too early, biased" };
    case "potential":
      return { letter: "E", name: "Potential", short: "Potent.", variant: "differences of progress" };
    case "mt-grpo":
      return { letter: "M", name: "MT-GRPO", short: "MT", variant: "first tool result" };
    case "hgpo":
      return { letter: "H", name: "HGPO", short: "HGPO", variant: `${credit.historyLength} earlier states` };
    case "hierarchical":
      return { letter: "S", name: "Hierarchical", short: "Hierar.", variant: "by sub-task" };
    case "bilevel":
      return { letter: "K", name: "Bi-level critic", short: "Bi-lev.", variant: "per token" };
    case "branching":
      return { letter: "V", name: "VinePPO", short: "Vine", variant: `${credit.branches} branches` };
    case "prime":
      return { letter: "Q", name: "PRIME", short: "PRIME", variant: "per token" };
    case "dial":
      return { letter: "D", name: "Dial", short: "Dial", variant: `${Math.round(100 * credit.share)} % truth` };
    case "random":
      return { letter: "N", name: "Random", short: "Random", variant: "control" };
    default:
      return credit satisfies never;
  }
}

/** Beside the variant: what a process row was paid with, where that is not the run's own reward. */
export const rewardNote = (id: CreditConfig["id"], reward: string): string => (id === "process" && reward === "shaped" ? ", shaped reward" : "");
