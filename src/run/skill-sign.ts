import type { TurnTruth } from "./assessment.ts";

type Skill = Pick<TurnTruth, "skill" | "halfWidth">;

/** What two digits show as zero. */
const NOTHING = 0.005;
/** Of the arithmetic. */
const ROUNDING = 1e-9;

/** Skill that is zero as far as the board shows it, and surely so: drawn as a ring, it has no sign that a credit could differ from. */
export const isNoSkill = ({ skill, halfWidth }: Skill): boolean => Math.abs(skill) < NOTHING && halfWidth < NOTHING;

/** The interval of skill lies on one side of zero, however near. */
export const excludesZero = ({ skill, halfWidth }: Skill): boolean => Math.abs(skill) > halfWidth + ROUNDING;

/** Whether a turn may be called right or wrong: its skill has a sign, for certain, and one that is drawn. */
export const isDecided = (truth: Skill): boolean => excludesZero(truth) && !isNoSkill(truth);

/** Paid against a skill whose sign is certain: board, counts, meters and keys all ask this. */
export const isWrongSign = (truth: Skill, credit: number): boolean => isDecided(truth) && Math.abs(credit) > ROUNDING && credit * truth.skill < 0;
