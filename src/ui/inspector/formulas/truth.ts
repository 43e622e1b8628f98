import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { TurnTruth } from "#run/assessment.ts";
import { turnTruth } from "#store/credit-board.ts";
import { margin } from "../../board/truth-label.ts";
import { fixed, percent } from "../../format.ts";
import type { Derivation, FormulaInput } from "./derivation.ts";
import { line, mean, num, sub } from "./math.tsx";
import { centred, needsAll, notThere, ownReward, paidInAll } from "./statistics.ts";

const Q = line("Q", "(", "h", ",", "a", ")");
const V = line("V", "(", "h", ")");
const after = line("V", "(", sub("h", "t+1"), ")");

const turnLabel = ({ kind, halfWidth, unexplored, worlds }: TurnTruth): string =>
  kind === "exact"
    ? `exact${unexplored > 0 ? `, V and Q each${margin(unexplored)}` : ""}, ${worlds === 1 ? "in the one way things may be" : `over all ${worlds} ways things may be`}`
    : `branched, K = ${worlds}, skill${margin(halfWidth)}`;

/** What the choice was worth, and what environment and customer did, under the policy as it was. */
export function truthFormula(truth: TurnTruth): Derivation {
  const { value, actionValue, luck, probability } = truth;
  return {
    lines: [
      line("skill", "=", Q, "−", V),
      line("=", num(actionValue), "−", num(value)),
      line("luck", "=", after, "−", Q),
      line("=", num(luck + actionValue), "−", num(actionValue), "=", num(luck, 3, true)),
    ],
    result: truth.skill,
    note: `${turnLabel(truth)}. V and Q are chances of success under the policy that acted, which took this action with probability ${fixed(probability)}, log ${fixed(Math.log(probability))}.`,
    compared: null,
  };
}

/** A blend of the reward against its group, not divided, and skill. */
export function dialFormula({ config: { share }, whole, at, truth }: FormulaInput<Extract<CreditConfig, { id: "dial" }>>): Derivation {
  const symbols = line("A", "=", "(", "1", "−", "s", ")", "(", "r", "−", mean("r"), ")", "+", "s", "·", "skill");
  const paid = paidInAll(whole, at);
  if (paid === null) return { lines: [symbols], result: null, note: needsAll(whole), compared: null };
  const reward = ownReward(paid);
  const { mean: middle, result } = centred(reward, paid.map(({ value }) => value), "none", 0);
  const skill = turnTruth(truth, at)?.skill ?? null;
  return {
    lines: skill === null ? [symbols] : [symbols, line("=", num(1 - share, 2), "·", "(", num(reward), "−", num(middle), ")", "+", num(share, 2), "·", num(skill))],
    result: skill === null ? null : (1 - share) * result + share * skill,
    note: `s is the dial, ${percent(share)} truth. Flat credit is not divided by σ here, so that both ends are in units of reward.`,
    compared: { among: "all trajectories of the group", of: "reward", peers: paid },
  };
}

/** Mean return of continuations from before the turn and from before the next one. */
export function branchingFormula({ group, whole, at, row }: FormulaInput): Derivation {
  const symbols = line("A", "=", mean(sub("R", "t+1")), "−", mean(sub("R", "t")));
  const basis = row.basis?.kind === "continuations" ? row.basis : null;
  const member = group.members[at.member];
  const [means, counts] = [basis?.means[at.member], basis?.counts[at.member]];
  if (means === undefined || counts === undefined || member === undefined) return { lines: [symbols], result: null, note: notThere("The continuations", whole), compared: null };
  const isLast = at.turn === member.turns.length - 1;
  const behind = isLast ? member.reward : (means[at.turn + 1] ?? 0);
  return {
    lines: [symbols, line("=", num(behind), "−", num(means[at.turn] ?? 0))],
    result: behind - (means[at.turn] ?? 0),
    note: `R with t is the mean of ${counts[at.turn] ?? 0} continuations from before this turn${isLast ? "; behind the last turn stands the outcome" : ""}.`,
    compared: null,
  };
}
