import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { MemberRecord } from "#run/run-event.ts";
import type { Derivation, FormulaInput } from "./derivation.ts";
import { line, num, sub, type Part } from "./math.tsx";
import { notThere } from "./statistics.ts";

type Critic = Extract<CreditConfig, { id: "critic" }>;

const [delta, V, next, A] = [sub("δ", "t"), sub("V", "t"), sub("V", "t+1"), sub("A", "t")];
const value = (config: number): string => String(config);

/** Whether nothing is expected behind the last turn: it ended by itself, or a cut off rollout is judged as if it had. */
const isOver = (ending: MemberRecord["ending"], atBudget: Critic["atBudget"]): boolean => ending === "terminated" || atBudget === "judged";

/** [turns] what a turn is taken to have been paid: a rollout that is bootstrapped has not earned its verdict yet. */
const paidAt = ({ turns, ending, success }: MemberRecord, turn: number, atBudget: Critic["atBudget"]): number => {
  const reward = turns[turn]?.reward ?? 0;
  return turn === turns.length - 1 && !isOver(ending, atBudget) && success ? reward - 1 : reward;
};

/** [turns] errors of the value function, and their discounted sums from each turn on, before anything is taken off. */
export function estimates(
  member: MemberRecord, values: readonly number[], { gamma, lambda, atBudget }: Pick<Critic, "gamma" | "lambda" | "atBudget">,
): { readonly deltas: readonly number[]; readonly advantages: readonly number[] } {
  const { turns, ending } = member;
  const deltas = turns.map((_, turn) => {
    const isEnd = turn === turns.length - 1 && isOver(ending, atBudget);
    return paidAt(member, turn, atBudget) + (isEnd ? 0 : gamma * (values[turn + 1] ?? 0)) - (values[turn] ?? 0);
  });
  const advantages = new Array<number>(deltas.length).fill(0);
  for (let turn = deltas.length - 1; turn >= 0; turn -= 1) advantages[turn] = (deltas[turn] ?? 0) + gamma * lambda * (advantages[turn + 1] ?? 0);
  return { deltas, advantages };
}

/** How much better it went than a learned value function expected, now and, discounted, later. */
export function criticFormula({ config, group, whole, at, row }: FormulaInput<Critic>): Derivation {
  const { gamma, lambda, whiten, step, atBudget } = config;
  const symbols = [line(delta, "=", sub("r", "t"), "+", "γ", next, "−", V), line(A, "=", delta, "+", "γ", "λ", sub("A", "t+1"))];
  const batch = whiten ? " Then the mean over the whole batch is taken off and its deviation divided by: what is paid." : "";
  const values = row.basis?.kind === "values" ? (row.basis.values[at.member] ?? null) : null;
  const member = group.members[at.member];
  if (values === null || member === undefined) return { lines: symbols, result: null, note: `${notThere("The critic's values", whole)}${batch}`, compared: null };
  const { deltas, advantages } = estimates(member, values, config);
  const isLast = at.turn === member.turns.length - 1;
  const behind = isLast && isOver(member.ending, atBudget) ? 0 : (values[at.turn + 1] ?? 0);
  const reward = paidAt(member, at.turn, atBudget);
  const later: readonly Part[] = [num(deltas[at.turn] ?? 0), "+", value(gamma), "·", value(lambda), "·", num(advantages[at.turn + 1] ?? 0)];
  return {
    lines: [
      ...symbols.slice(0, 1),
      line("=", num(reward, 2), "+", value(gamma), "·", num(behind), "−", num(values[at.turn] ?? 0)),
      ...symbols.slice(1),
      line("=", ...later),
      line("=", num(advantages[at.turn] ?? 0)),
    ],
    result: whiten || step === "token" ? null : (advantages[at.turn] ?? 0),
    note: `V before the turn ${num(values[at.turn] ?? 0).text}, behind it ${num(behind).text}.${step === "token" ? " It is computed per token; these are the values at the turns' ends." : ""}${batch}`,
    compared: null,
  };
}
