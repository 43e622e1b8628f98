import type { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import { frac, line, mean, sub } from "../../inspector/formulas/math.tsx";
import type { Explained } from "./entry.ts";
import { power } from "./parts.tsx";

const [policy, old, reference] = ["π", sub("π", "old"), sub("π", "ref")] as const;
const ratio = line("ρ", "=", frac([policy], [old]));
const held = (of: string) => line(`${of}′`, "=", "clip", "(", of, ",", "1", "−", sub("ε", "low"), ",", "1", "+", sub("ε", "high"), ")");
const worse = (of: string) => line("L", "=", "−", "min", "(", of, "A", ",", `${of}′`, "A", ")");

/** What a step makes smaller; π is the probability of a sampled token, A its turn's credit. */
export const OBJECTIVE_FORMULAS = {
  clipped: { formula: [ratio, held("ρ"), worse("ρ")], says: "PPO and GRPO. A token stops pulling once its probability has moved far enough. The dual clip bounds what one bad token can cost." },
  gspo: { formula: [line("ln", "s", "=", mean(line("ln", "ρ"))), held("s"), worse("s")], says: "The same with one ratio for the whole attempt, the geometric mean of its tokens'." },
  cispo: { formula: [held("ρ"), line("L", "=", "−", "ρ′", "A", "ln", policy)], says: "The clipped ratio is a weight held fixed: it is bounded, and no token is dropped." },
  reinforce: { formula: [line("L", "=", "−", "A", "ln", policy)], says: "The policy gradient itself, with no ratio." },
  dpo: {
    formula: [line("L", "=", "−", "ln", "sigmoid", "(", "β", sub("Δ", "better"), "−", "β", sub("Δ", "worse"), ")"), line("Δ", "=", "Σ", "(", "ln", policy, "−", "ln", reference, ")")],
    says: "Pairs of a group whose rewards differ: the better is made likelier than the worse, against the policy the run started from. Credit is not read.",
  },
  raft: { formula: [line("L", "=", "−", "w", "ln", policy)], says: "Imitates what was paid: w is 1 for attempts that were, or for the best of a group. Credit is not read." },
  sft: { formula: [line("L", "=", "−", "ln", policy)], says: "Imitates demonstrations of the scripted agent, every token alike. The policy's own attempts are shown and evaluated, not learnt from." },
} as const satisfies { readonly [K in keyof typeof OBJECTIVES]: Explained };

/** What any of them can take beside. */
export const TERM_FORMULAS = [
  line("L", "+", sub("c", "KL"), "KL", "(", policy, ",", reference, ")", "−", sub("c", "H"), "H"),
  line("+", sub("c", "V"), frac(["1"], ["2"]), power("(V−G)", "2")),
] as const;
