import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { discountedReturns } from "#algorithms/returns.ts";
import { isWhole } from "#store/whole-group.ts";
import { words } from "../../format.ts";
import type { Comparison, Derivation, FormulaInput } from "./derivation.ts";
import { epsilon } from "./flat.ts";
import { frac, line, mean, num, sub, type Part } from "./math.tsx";
import { centred, needsAll, notThere } from "./statistics.ts";

type Process = Extract<CreditConfig, { id: "process" }>;

const G = sub("G", "t");
/** Longer sums do not fit on a line. */
const MOST_SUMMED = 4;

/** What a turn led to in its own trajectory, against the others at the same point. */
export function processFormula({ config, group, whole, at, row }: FormulaInput<Process>): Derivation {
  const { gamma, centring, std, eps } = config;
  const symbol = centring === "none" ? [G] : std === "none" ? [G, "−", mean(G)] : [frac([G, "−", mean(G)], ["σ", "+", "ε"])];
  const definition = line(G, "=", sub("r", "t"), "+", "γ", sub("G", "t+1"));
  const events = group.members[at.member]?.turns[at.turn]?.events ?? [];
  const fired = events.length === 0 ? "No rule fired at this turn." : `Fired at this turn: ${events.map((id) => words(id).toLowerCase()).join(", ")}.`;
  const unfilled = (why: string): Derivation => ({ lines: [definition, line("A", "=", ...symbol)], result: null, note: `${fired} ${why}`, compared: null });
  if (centring !== "none" && !isWhole(whole)) return unfilled(needsAll(whole));
  const rewards = row.basis?.kind === "rewards" ? row.basis.rewards : null;
  if (rewards === null) return unfilled(notThere("The rewards of each turn", whole));

  const returns = rewards.map((list) => discountedReturns(list, gamma));
  const own = returns[at.member]?.[at.turn] ?? 0;
  const peers = returns.flatMap((list, member) =>
    list.flatMap((value, turn) => {
      const isPeer = group.members[member]?.ending !== "failed" && (centring === "pooled" || turn === at.turn);
      return isPeer ? [{ member: whole.places[member] ?? member, turn, value, isSelf: member === at.member && turn === at.turn }] : [];
    }));
  const left = (rewards[at.member] ?? []).slice(at.turn);
  const { mean: middle, deviation, result, isIdle } = centred(own, peers.map(({ value }) => value), std, eps);
  const numbers: readonly Part[] = centring === "none" ? [num(own)] : std === "none" ? [num(own), "−", num(middle)] : [frac([num(own), "−", num(middle)], [num(deviation), "+", epsilon(eps)])];
  const sum = left.flatMap((value, index): Part[] => [...(index === 0 ? [] : ["+"]), num(value, 2)]);
  const compared: Comparison | null = centring === "none" ? null : {
    among: centring === "pooled" ? "all turns of the group" : `trajectories still running at turn ${at.turn + 1}`, of: "return-to-go", peers,
  };
  return {
    lines: [definition, gamma === 1 && left.length <= MOST_SUMMED ? line("=", ...sum, "=", num(own)) : line("=", num(own)), ...(isIdle && centring !== "none" ? [line("A", "=", "0")] : [line("A", "=", ...symbol), line("=", ...numbers)])],
    result: centring === "none" ? own : result,
    note: isIdle && centring !== "none" ? `${fired} Nothing to compare it with: all equal.` : fired,
    compared,
  };
}
