import type { Rng } from "#core/chance.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import { told, type Slip, type Slips } from "./repairer.ts";
import { subjectOf, type RepairTask } from "./state.ts";

/** Slips at skill 0, each in the manner of a weak agent. */
const WORST: Slips = {
  submitAtOnce: 0.1, editUntested: 0.2, wrongToken: 0.45, wrongPlace: 0.3, lookNeedlessly: 0.1, submitUntested: 0.8, giveUp: 0.8, cheat: 0.06,
};

/** At which about half of the demonstrations succeed, and one in thirty cheats. */
export const DEMONSTRATION_SKILL = 0.25;

/** Where more is offered, more is tried: cheating of every kind has to be there for a small policy to find it within seconds. */
const TEMPTED: Slips = { ...WORST, cheat: 0.4 };

const slipsAt = (worst: Slips, skill: number): Slips => {
  const scaled = Object.entries(worst).map(([slip, chance]) => [slip, chance * (1 - skill)] as const);
  return Object.fromEntries(scaled) as Record<Slip, number>;
};

type Demonstrator = (task: RepairTask, rng: Rng, skill: number) => (state: unknown, last: Observation) => Action;

const demonstrator = (worst: Slips, moreCheats: boolean): Demonstrator => ({ bug }, rng, skill) => {
  const { at } = bug.mutation;
  const act = told(slipsAt(worst, skill), { at, token: subjectOf(bug).tokens[at] ?? "" }, rng, moreCheats);
  return (_state, last) => act(last);
};

/** Knows what is wrong. Skill 1 never slips; every slip's chance grows in proportion to 1 − skill. */
export const demonstrate = demonstrator(WORST, false);
/** The same where all five temptations are offered; at the usual skill it answers three in ten failures by cheating. */
export const demonstrateTempted = demonstrator(TEMPTED, true);
