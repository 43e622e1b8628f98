import type { TaskDifference } from "#store/compare/difference.ts";
import { letterOf } from "#store/compare/entry.ts";
import { signed } from "../format.ts";

type Known = Extract<TaskDifference, { kind: "difference" }>;

const VERDICTS: Readonly<Record<Known["side"], (letter: string) => string>> = {
  above: (letter) => `${letter} is better`,
  below: () => `${letterOf(0)} is better`,
  "not-separated": () => "not separated",
};

/** "B − A = +0.03 [−0.01, 0.07]: not separated", without a full stop. */
export function differenceText(difference: TaskDifference): string {
  const letter = letterOf(difference.entry);
  const pair = `${letter} − ${letterOf(0)}`;
  if (difference.kind === "refused") return `${pair} is not taken: ${difference.reason}`;
  const { mean, low, high, side } = difference;
  const bound = (value: number): string => signed(value).replace(/^\+/, "");
  return `${pair} = ${signed(mean)} [${bound(low)}, ${bound(high)}]: ${VERDICTS[side](letter)}`;
}

/** What the interval rests on. */
export const restsOn = ({ entry, better, worse, equal, tasks }: Known): string =>
  `${letterOf(entry)} passes more often on ${better}, less often on ${worse}, equally often on ${equal} of ${tasks} tasks.`;

/** Half the width of the scale: the next tenth beyond every interval. */
export function scaleOf(differences: readonly TaskDifference[]): number {
  const furthest = Math.max(0.05, ...differences.flatMap((difference) => (difference.kind === "refused" ? [] : [Math.abs(difference.low), Math.abs(difference.high)])));
  return Math.min(1, Math.ceil(furthest * 10 + 0.2) / 10);
}
