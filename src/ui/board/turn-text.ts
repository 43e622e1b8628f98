import type { TurnTruth } from "#run/assessment.ts";
import { isDecided, isNoSkill } from "#run/skill-sign.ts";
import { isMismatch } from "#store/credit-board.ts";
import { fixed, signed } from "../format.ts";

/** Skill and luck in words: no sign is named where it is not certain. */
export function truthText(truth: TurnTruth): string {
  const width = truth.halfWidth >= 0.005 ? ` plus or minus ${fixed(truth.halfWidth)}` : "";
  const doubt = isDecided(truth) || isNoSkill(truth) ? "" : ", sign not certain";
  return `skill ${signed(truth.skill)}${width}${doubt}, luck ${signed(truth.luck)}`;
}

/** What a cell of the board says aloud. */
export function creditText(truth: TurnTruth | null, scheme: string | null, credit: number | null): string {
  const parts = truth === null ? [] : [truthText(truth)];
  if (scheme !== null && credit !== null) {
    parts.push(`${scheme} ${signed(credit)}${isMismatch(truth, credit) ? ", sign differs from truth" : ""}`);
  }
  return parts.length === 0 ? "no credit known" : parts.join("; ");
}
