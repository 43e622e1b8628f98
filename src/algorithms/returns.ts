import type { Scored, TurnRewards } from "#core/credit.ts";
import { isConstant } from "#core/statistics.ts";

/** Return of a trajectory, undiscounted: Σ per-turn rewards + terminal; null for a failed rollout, which cannot be scored. */
export function returnOf({ trajectory, rewards }: Scored): number | null {
  if (trajectory.ending === "failed") return null;
  let sum = rewards.terminal;
  for (const reward of rewards.perTurn) sum += reward;
  return sum;
}

/** Whether the trajectory was paid at its end: what implicit reward models take for its outcome (acc > 0 in iStar's code). */
export const succeeded = ({ rewards }: Pick<Scored, "rewards">): boolean => rewards.terminal > 0;

/** [turns] undiscounted return from each turn on: what a value head is fitted to. */
export function returnsToGo({ perTurn, terminal }: TurnRewards): Float32Array {
  const returns = new Float32Array(perTurn.length);
  let sum = terminal;
  for (let turn = perTurn.length - 1; turn >= 0; turn -= 1) {
    sum += perTurn[turn] as number;
    returns[turn] = sum;
  }
  return returns;
}

/**
 * Whether the scorable returns of a group differ; without that a group-relative scheme has nothing to compare.
 * @param returns [G], null = unscorable.
 * Source: dynamic sampling of DAPO, arXiv 2503.14476, section 3.2.
 */
export const hasSignal = (returns: readonly (number | null)[]): boolean => !isConstant(returns.filter((value) => value !== null));

/** [turns] what each turn was paid, the terminal reward with the last one. */
export function turnRewards({ perTurn, terminal }: TurnRewards): number[] {
  const rewards = [...perTurn];
  if (rewards.length > 0) rewards[rewards.length - 1] = (rewards.at(-1) as number) + terminal;
  return rewards;
}

/** [turns] G_t = r_t + gamma·G_(t+1). */
export function discountedReturns(rewards: readonly number[], gamma: number): number[] {
  const returns = [...rewards];
  for (let turn = returns.length - 2; turn >= 0; turn -= 1) returns[turn] = (rewards[turn] as number) + gamma * (returns[turn + 1] as number);
  return returns;
}
