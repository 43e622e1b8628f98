import type { Recount } from "./recount.ts";

/** Tasks side by side, most successes first; filled as high as they succeeded. The box holds the tasks that can pass k. */
export function Staircase({ counted }: { readonly counted: Recount | null }) {
  if (counted === null) return <svg className="staircase" aria-hidden="true" />;
  const { tasks, trials, shares, holding } = counted;
  const steps = shares.map(({ successes, tasks: width }, index) => ({
    successes, width, x: shares.slice(0, index).reduce((sum, share) => sum + share.tasks, 0),
  }));
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)}%`;
  return (
    <svg className="staircase" role="img" aria-label={`Tasks by successes of ${trials}: ${shares.map((share) => `${share.tasks} with ${share.successes}`).join(", ")}.`}>
      <rect className="tried" width="100%" height="100%" />
      {steps.map(({ x, width, successes }) => (
        <rect
          key={successes}
          className="passed"
          x={percent(x, tasks)}
          width={percent(width, tasks)}
          y={percent(trials - successes, trials)}
          height={percent(successes, trials)}
        />
      ))}
      {Array.from({ length: trials - 1 }, (_, row) => (
        <line key={row} className="rule" x2="100%" y1={percent(row + 1, trials)} y2={percent(row + 1, trials)} />
      ))}
      {holding > 0 && <rect className="box" width={percent(holding, tasks)} height="100%" />}
    </svg>
  );
}
