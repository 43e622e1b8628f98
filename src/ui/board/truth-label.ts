import type { MemberTruthRecord } from "#run/assessment.ts";
import { truthSummary } from "#store/credit-board.ts";
import { fixed } from "../format.ts";

const margin = (value: number): string => (value === 0 ? "" : ` ±${value < 0.005 ? "<0.01" : fixed(value)}`);

/** "exact ±0.01" where everything was enumerated, else "branched, K = 64, ±0.05": the widest of its intervals. */
export function truthLabel(members: readonly (MemberTruthRecord | null)[]): string {
  const summary = truthSummary(members);
  if (summary === null) return "not known";
  if (summary.kind === "exact") return `exact${margin(summary.margin)}`;
  return `branched, K = ${summary.worlds},${margin(summary.margin)}`;
}

/** The same for one trajectory, where there is little room. */
export function shortTruthLabel(member: MemberTruthRecord): string {
  const summary = truthSummary([member]);
  if (summary === null) return "not known";
  return summary.kind === "exact" ? `exact${margin(summary.margin)}` : `K = ${summary.worlds},${margin(summary.margin)}`;
}
