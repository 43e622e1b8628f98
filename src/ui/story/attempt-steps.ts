import type { MemberRecord } from "#run/run-event.ts";
import { actionLabel, labelText } from "../board/action-label.ts";

/** An attempt in a line, what was done again and again counted: "Look up, Ask ×7". */
export function attemptSteps({ turns }: Pick<MemberRecord, "turns">): string {
  const steps: { readonly label: string; times: number }[] = [];
  for (const { action } of turns) {
    const label = labelText(actionLabel(action));
    const last = steps.at(-1);
    if (last?.label === label) last.times += 1;
    else steps.push({ label, times: 1 });
  }
  return steps.map(({ label, times }) => (times === 1 ? label : `${label} ×${times}`)).join(", ");
}
