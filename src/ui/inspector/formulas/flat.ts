import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { Derivation, FormulaInput } from "./derivation.ts";
import { frac, line, mean, num } from "./math.tsx";
import { centred, needsAll, ownReward, paidInAll } from "./statistics.ts";

type Flat = Extract<CreditConfig, { id: "flat" | "leave-one-out" }>;

/** ε with as many digits as it has. */
export const epsilon = (eps: number): string => (eps === 0 ? "0" : eps < 1e-4 ? eps.toExponential(0).replace("-", "−") : String(eps));

/** A trajectory's reward against those of its group: every turn of it the same number. */
export function flatFormula({ config, whole, at }: FormulaInput<Flat>): Derivation {
  const std = config.id === "flat" ? config.std : "none";
  const eps = config.id === "flat" ? config.eps : 0;
  const others = config.id === "leave-one-out" || config.leaveOneOut;
  const symbols = std === "none" ? ["r", "−", mean("r")] : [frac(["r", "−", mean("r")], ["σ", "+", "ε"])];
  const scaled = others ? [frac(["n"], ["n", "−", "1"]), "·"] : [];
  const brackets = others && std === "none";
  const definition = line("A", "=", ...scaled, ...(brackets ? ["("] : []), ...symbols, ...(brackets ? [")"] : []));
  const paid = paidInAll(whole, at);
  if (paid === null) return { lines: [definition], result: null, note: needsAll(whole), compared: null };
  const reward = ownReward(paid);
  const { mean: middle, deviation, result, isIdle } = centred(reward, paid.map(({ value }) => value), std, eps);
  const factor = others ? paid.length / (paid.length - 1) : 1;
  const numbers = std === "none" ? [num(reward), "−", num(middle)] : [frac([num(reward), "−", num(middle)], [num(deviation), "+", epsilon(eps)])];
  const scaledNumbers = others ? [frac([String(paid.length)], [String(paid.length - 1)]), "·"] : [];
  return {
    lines: isIdle
      ? [line("A", "=", "0")]
      : [
          definition,
          line("=", ...scaledNumbers, ...(brackets ? ["("] : []), ...numbers, ...(brackets ? [")"] : [])),
        ],
    result: result * factor,
    note: isIdle ? "All rewards are equal: there is nothing to compare." : `r is the reward of the whole trajectory${std === "none" ? "" : `, σ the ${std} deviation`}: every turn gets the same number.`,
    compared: { among: "all trajectories of the group", of: "reward", peers: paid },
  };
}
