import type { MemberTruthRecord } from "#run/assessment.ts";
import type { AssessorState } from "#store/assessor.ts";
import { truthSummary } from "#store/credit-board.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { HELD_UPDATES } from "#trainer/laboratory/held.ts";
import { fixed, sentence } from "../format.ts";

export const margin = (value: number): string => (value === 0 ? "" : ` ±${value < 0.005 ? "<0.01" : fixed(value)}`);

/** "exact ±0.01 of V and Q" where everything was enumerated, else "branched, K = 64, ±0.05 of skill": the widest of its intervals. */
export function truthLabel(members: readonly (MemberTruthRecord | null)[]): string {
  const summary = truthSummary(members);
  if (summary === null) return "not known";
  if (summary.kind === "exact") return `exact${summary.margin === 0 ? "" : `${margin(summary.margin)} of V and Q`}`;
  return `branched, K = ${summary.worlds}${summary.margin === 0 ? "" : `,${margin(summary.margin)} of skill`}`;
}

/** The same for one trajectory, where there is little room: what the margin is of stands in the title. */
export function shortTruthLabel(member: MemberTruthRecord): string {
  const summary = truthSummary([member]);
  if (summary === null) return "not known";
  return summary.kind === "exact" ? `exact${margin(summary.margin)}` : `K = ${summary.worlds}${summary.margin === 0 ? "" : `,${margin(summary.margin)}`}`;
}

/** Why truth of a group cannot come any more, as a sentence; null where it may. @param update the newest of the run */
export function whyNoTruth({ update: of, group, linked }: GroupEntry, fault: AssessorState["fault"], update: number): string | null {
  if (linked !== undefined) return "It is not in the link.";
  if (fault?.groupId === group.groupId) return sentence(fault.error.message);
  return of > 0 && of + HELD_UPDATES <= update ? "The trainer no longer holds its group: the run went on." : null;
}
