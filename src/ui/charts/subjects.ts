import type { Subject } from "#run/run-event.ts";

export interface SubjectStyle {
  readonly title: string;
  readonly color: string;
  readonly width: number;
  readonly mark: "filled" | "open";
}

/** Three subjects in ink and greys: told apart by weight, tone and end mark; solid and dashed are taken by pass^k and pass@k. */
export const SUBJECT_STYLES: Readonly<Record<Subject, SubjectStyle>> = {
  current: { title: "current", color: "var(--ink)", width: 2.5, mark: "filled" },
  base: { title: "base", color: "var(--ink-3)", width: 1.5, mark: "open" },
  prompted: { title: "scripted", color: "var(--edge)", width: 1.5, mark: "filled" },
};
