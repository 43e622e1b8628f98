import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { discountedReturns } from "#algorithms/returns.ts";
import { anchorPeers } from "#store/credit-board.ts";
import { isWhole } from "#store/whole-group.ts";
import { fixed } from "../../format.ts";
import type { Derivation, FormulaInput } from "./derivation.ts";
import { frac, line, mean, num, sub } from "./math.tsx";
import { centred, needsAll } from "./statistics.ts";

type Gigpo = Extract<CreditConfig, { id: "gigpo" }>;

const [episode, step, G] = [sub("A", "E"), sub("A", "S"), sub("G", "t")];

/** The trajectory against its group, and the turn against all turns that acted on the same state. */
export function gigpoFormula({ config, group, whole, at }: FormulaInput<Gigpo>): Derivation {
  const { gamma, omega, std, eps, episodeStatistics } = config;
  const { members } = group;
  const total = line("A", "=", episode, "+", "ω", "·", step);
  const stepLine = std === "none" ? [G, "−", mean(G)] : [frac([G, "−", mean(G)], ["σ", "+", "ε"])];
  // Turns of the others may have acted on the same state.
  if (!isWhole(whole)) return { lines: [total, line(step, "=", ...stepLine)], result: null, note: needsAll(whole), compared: null };
  const counted = members.flatMap(({ reward, turns, ending }) =>
    ending === "failed" ? [] : episodeStatistics === "perTurn" ? turns.map(() => reward) : [reward]);
  const trajectory = centred(members[at.member]?.reward ?? 0, counted, std, eps);
  const returns = members.map(({ turns }) => discountedReturns(turns.map(({ reward }) => reward), gamma));
  const peers = anchorPeers(group, at).map((peer) => ({ ...peer, value: returns[peer.member]?.[peer.turn] ?? 0 }));
  const own = returns[at.member]?.[at.turn] ?? 0;
  const local = centred(own, peers.map(({ value }) => value), std, eps);
  const stepNumbers = std === "none" ? [num(own), "−", num(local.mean)] : [frac([num(own), "−", num(local.mean)], [num(local.deviation), "+", "ε"])];
  return {
    lines: [
      total,
      ...(local.isIdle ? [line(step, "=", "0")] : [line(step, "=", ...stepLine), line("=", ...stepNumbers)]),
      line("A", "=", num(trajectory.result), "+", fixed(omega, 0), "·", num(local.result)),
    ],
    result: trajectory.result + omega * local.result,
    note: `A with E is the whole trajectory against its group, as under flat credit. ${peers.length === 1 ? "No other turn acted on the same state: alone, the step part is 0." : local.isIdle ? "All turns on the same state came to the same return: the step part is 0." : `${peers.length} turns acted on the same state.`}`,
    compared: { among: peers.length === 1 ? "itself alone" : `${peers.length} turns that acted on the same state`, of: "return-to-go", peers: peers.map((peer) => ({ ...peer, member: whole.places[peer.member] ?? peer.member })) },
  };
}
