import type { Rng } from "#core/chance.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import { clerk, type Slip, type Slips } from "./clerk.ts";

/** Slips at skill 0, each in the manner of a weak agent. */
const WORST: Slips = {
  denyAtOnce: 0.24, askNeedlessly: 0.12, guess: 0.5, settleEarly: 0.5, checkWrong: 0.3, refundUnchecked: 0.6, repeat: 0.18, stall: 0.36,
};

/** At which about 60-65 % of demonstrations succeed; no slip is likelier than the right call, so the right one can be learnt. */
export const DEMONSTRATION_SKILL = 0.42;

export const slipsAt = (skill: number): Slips => {
  const scaled = Object.entries(WORST).map(([slip, chance]) => [slip, chance * (1 - skill)] as const);
  return Object.fromEntries(scaled) as Record<Slip, number>;
};

/** Skill 1 never slips; every slip's chance grows in proportion to 1 − skill. */
export function demonstrate(rng: Rng, skill: number): (state: unknown, last: Observation) => Action {
  const act = clerk(slipsAt(skill))(rng);
  return (_state, last) => act(last);
}
