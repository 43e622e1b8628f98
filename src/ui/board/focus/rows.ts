import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { CreditId } from "#run/assessment.ts";
import { isDecided } from "#run/skill-sign.ts";
import { BOARD_SCHEMES, defaultConfig, isMismatch, rowOf, turnTruth, type BoardRow } from "#store/credit-board.ts";
import type { BoardModel } from "../../hooks/use-board-model.ts";

/** One scheme of the focus view, known or not yet. */
export interface FocusRow {
  readonly id: CreditId;
  readonly config: CreditConfig;
  readonly row: BoardRow | null;
  /** Was asked for beside the six. */
  readonly isExtra: boolean;
}

/** The five below truth, what the group was trained with, what is compared, and what was added. */
export function focusRows({ rows, compared }: BoardModel, more: readonly CreditId[]): readonly FocusRow[] {
  const trained = rows[0]?.id;
  const wanted: readonly CreditId[] = [...BOARD_SCHEMES, ...(trained === undefined ? [] : [trained]), ...(compared === null ? [] : [compared.id]), ...more];
  return [...new Set(wanted)].filter((id) => id !== "truth").map((id) => {
    const row = rowOf(rows, id);
    return { id, config: row?.config ?? (compared?.id === id ? compared : defaultConfig(id)), row, isExtra: more.includes(id) };
  });
}

/** Signs that differ from truth in these rows, of those that could. */
export function wrongSigns({ truth, entry }: Pick<BoardModel, "truth" | "entry">, member: number, rows: readonly FocusRow[]): { readonly wrong: number; readonly decided: number } {
  let [wrong, decided] = [0, 0];
  for (const { row } of rows) {
    for (const turn of entry.group.members[member]?.turns.keys() ?? []) {
      const skill = turnTruth(truth, { member, turn });
      const credit = row?.credits[member]?.[turn];
      if (skill === null || credit === undefined || !isDecided(skill)) continue;
      decided += 1;
      if (isMismatch(skill, credit)) wrong += 1;
    }
  }
  return { wrong, decided };
}
