import type { Assessment, CreditMeters, GroupTruth } from "#run/assessment.ts";

/** What was found out about groups beyond the run's own events. */
export interface Findings {
  /** Oldest first, one of each group and view. */
  readonly assessments: readonly Assessment[];
  /** Of the scheme trained with; null before the first assessment. */
  readonly meters: CreditMeters | null;
}

export const NO_FINDINGS: Findings = { assessments: [], meters: null };

const MOST = 200;

const isOf = ({ groupId, truth }: Assessment, group: string, given: GroupTruth["given"]): boolean => groupId === group && truth.given === given;

/** The newest of a group and view takes the place of the one before. */
export function withAssessment({ assessments }: Findings, { assessment, meters }: { readonly assessment: Assessment; readonly meters: CreditMeters }): Findings {
  const others = assessments.filter((known) => !isOf(known, assessment.groupId, assessment.truth.given));
  return { assessments: [...others, assessment].slice(-MOST), meters };
}

/** What holds of a run that has gone back to an update. */
export const findingsUpTo = ({ assessments, meters }: Findings, update: number): Findings => ({ assessments: assessments.filter((known) => known.update <= update), meters });

export const assessmentOf = ({ assessments }: Findings, groupId: string, given: GroupTruth["given"]): Assessment | null =>
  assessments.find((known) => isOf(known, groupId, given)) ?? null;
