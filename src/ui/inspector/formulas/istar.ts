import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { Derivation, FormulaInput } from "./derivation.ts";
import { frac, line, mean, num, sub } from "./math.tsx";
import { centred, needsAll, notThere, ownReward, paidInAll } from "./statistics.ts";

type Istar = Extract<CreditConfig, { id: "istar" }>;

const [scorer, old] = [sub("π", "φ"), sub("π", "old")];

/** The outcome against those of the others, and how much likelier the action became under a scorer that was fitted to outcomes. */
export function istarFormula({ config, whole, at, row }: FormulaInput<Istar>): Derivation {
  const { beta, omega, normalisation, form } = config;
  const definition = line("s", "=", "β", "(", "ln", scorer, "−", "ln", old, ")");
  const total = line("A", "=", frac(["n"], ["n", "−", "1"]), "(", "r", "−", mean("r"), ")", "+", "ω", "(", "s", "−", mean("s"), ")");
  const paid = paidInAll(whole, at);
  if (paid === null) return { lines: [definition, total], result: null, note: needsAll(whole), compared: null };
  const reward = ownReward(paid);
  const { result: part, mean: middle } = centred(reward, paid.map(({ value }) => value), "none", 0);
  const factor = paid.length / (paid.length - 1);
  const outcome = part * factor;
  const basis = row.basis?.kind === "log-ratio" ? row.basis : null;
  const [ours, theirs] = [basis?.scorer[at.member]?.[at.turn], basis?.reference[at.member]?.[at.turn]];
  const credit = row.credits[at.member]?.[at.turn] ?? 0;
  const step = omega === 0 ? 0 : (credit - outcome) / omega;
  const compared = { among: "all trajectories of the group", of: "reward", peers: paid };
  const scaled = normalisation === "maxAbs" ? "divided by the largest of the batch, then " : "";
  if (ours === undefined || theirs === undefined) {
    return { lines: [definition, total], result: null, note: notThere("Both log-probabilities", whole), compared };
  }
  return {
    lines: [
      definition,
      line("=", String(beta), "·", "(", num(ours, 3), "−", num(theirs, 3), ")"),
      line("=", num(beta * (ours - theirs))),
      total,
      line("=", frac([String(paid.length)], [String(paid.length - 1)]), "(", num(reward), "−", num(middle), ")", "+", String(omega), "·", num(step)),
    ],
    result: null,
    note: `s is ${scaled}centred over ${form === "default" ? "all steps of the group" : "first steps"}: ${num(step).text}, what is left of the credit beside the outcome's part, ${num(outcome).text}.`,
    compared,
  };
}
