import type { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { frac, line, mean, sub, type Term } from "../../inspector/formulas/math.tsx";
import type { Explained } from "./entry.ts";
import { power } from "./parts.tsx";

const [A, G, V, delta] = [sub("A", "t"), sub("G", "t"), sub("V", "t"), sub("δ", "t")];
const r = sub("r", "t");
const [scorer, old, reference] = [sub("π", "φ"), sub("π", "old"), sub("π", "ref")];
const toGo = line(G, "=", r, "+", "γ", sub("G", "t+1"));
const standard = (of: Term | string): Term => frac([of, "−", mean(of)], ["σ", "+", "ε"]);

/** How each credit scheme turns rewards into credit: r is what a turn was paid, R all that an attempt was paid. */
export const CREDIT_FORMULAS = {
  flat: { formula: [line("A", "=", standard("R"))], says: "GRPO. Every turn of an attempt gets the same: its reward against those of its group." },
  "leave-one-out": { formula: [line("A", "=", frac(["n"], ["n", "−", "1"]), "(", "R", "−", mean("R"), ")")], says: "RLOO. The reward less the mean of the other attempts, undivided." },
  reinforce: { formula: [line("A", "=", "R", "−", "b")], says: "b is the mean reward of the whole batch, or 0: then every success pays and no failure costs." },
  "reinforce-plus-plus": { formula: [toGo, line(A, "=", frac([G, "−", "μ"], ["σ"]))], says: "Returns per token, whitened over the sampled tokens of the batch; no group." },
  "reinforce-plus-plus-baseline": { formula: [line("A", "=", frac(["R", "−", mean("R"), "−", "μ"], ["σ"]))], says: "The group's mean is taken off first, then the batch is whitened." },
  process: { formula: [toGo, line(A, "=", standard(G))], says: "What followed from the turn on, against the attempts still running at the same turn. Says something new only where turns are paid." },
  "process-immediate": {
    formula: [line(A, "=", "Σ", power("γ", "k−t"), "(", sub("r", "k"), "−", mean(sub("r", "k")), ")")],
    says: "A counter-example: centred before it is summed, which makes going on cost something. Biased.",
  },
  potential: { formula: [line(r, "=", "γ", "Φ", "(", "h′", ")", "−", "Φ", "(", "h", ")")], says: "Turns are paid for the change of a score of progress Φ, which no loop can farm; then as process reward." },
  "mt-grpo": {
    formula: [line(A, "=", standard("R"), "+", "c", "·", standard(sub("r", "1")))],
    says: "The second term, what was paid up to the first tool result, counts for the turns up to there; later turns get the first alone.",
  },
  gigpo: { formula: [line(A, "=", standard("R"), "+", "ω", "·", standard(G))], says: "The attempt against its group, and the turn against all turns that acted on the same state. Alone, the second is 0." },
  hgpo: {
    formula: [line(A, "=", frac(["Σ", sub("w", "k"), sub("A", "k")], ["Σ", sub("w", "k")])), line(sub("w", "k"), "=", power("(k+1)", "α"))],
    says: "Turns that share their last k states are compared, for several k; where more agrees, it weighs more.",
  },
  hierarchical: { formula: [line("A", "=", sub("G", "s"), "−", mean(sub("G", "s")))], says: "Work on one sub-task, from its first turn on, against all who took it up from the same sub-goals." },
  critic: { formula: [line(delta, "=", r, "+", "γ", sub("V", "t+1"), "−", V), line(A, "=", delta, "+", "γ", "λ", sub("A", "t+1"))], says: "PPO's: how much better it went than a learned value function expected, summed over what followed." },
  bilevel: {
    formula: [line(delta, "=", "γ", sub("V", "t+1"), "−", V), line(sub("δ", "end"), "=", r, "+", sub("γ", "high"), sub("V", "end+1"), "−", sub("V", "end"))],
    says: "The same on two levels: from turn to turn at the turns' ends, and from token to token inside a turn.",
  },
  branching: { formula: [line(A, "=", r, "+", sub("V", "t+1"), "−", V)], says: "VinePPO. V is the mean return of K fresh continuations from the restored state, hidden part included: skill and luck together." },
  istar: {
    formula: [line(sub("s", "t"), "=", "β", "(", "ln", scorer, "−", "ln", old, ")"), line(A, "=", frac(["n"], ["n", "−", "1"]), "(", "R", "−", mean("R"), ")", "+", "ω", "(", sub("s", "t"), "−", mean("s"), ")")],
    says: "How much likelier a model fitted to outcomes finds the action than the policy that sampled did, beside the outcome.",
  },
  prime: {
    formula: [line(r, "=", "β", "(", "ln", scorer, "−", "ln", reference, ")"), line(A, "=", sub("w", "R"), "(", "R", "−", mean("R"), ")", "+", sub("w", "r"), "Σ", "(", sub("r", "k"), "−", mean("r"), ")")],
    says: "Per token, against the other attempts, summed from the token on and whitened over the batch.",
  },
  truth: { formula: [line(sub("skill", "t"), "=", "Q", "(", "h", ",", "a", ")", "−", "V", "(", "h", ")")], says: "What the choice was worth, given what the policy had seen. What schemes are judged by; here it can also be trained on." },
  dial: { formula: [line(A, "=", "(", "1", "−", "x", ")", "(", "R", "−", mean("R"), ")", "+", "x", "·", sub("skill", "t"))], says: "x goes from flat, not divided by a deviation, to truth." },
  random: { formula: [line(A, "=", "±1")], says: "A control: what still improves under it was not learnt from credit." },
} as const satisfies { readonly [K in keyof typeof CREDIT_ASSIGNERS]: Explained };
