import { mean as average } from "#core/statistics.ts";
import type { TaskDifference } from "#store/compare/difference.ts";
import { letterOf, type ComparedEntry } from "#store/compare/entry.ts";
import { ChartCard, type ChartTable } from "../charts/chart-card.tsx";
import { fixed, signed } from "../format.ts";
import { differenceText, restsOn, scaleOf } from "./difference-text.ts";
import { styleOf } from "./run-styles.ts";
import { RunKey } from "./swatch.tsx";

type Known = Extract<TaskDifference, { kind: "difference" }>;

/** Each entry against the first, on the same tasks: an interval of its own, with zero marked, and the same in words. */
export function Differences({ entries, differences }: { readonly entries: readonly ComparedEntry[]; readonly differences: readonly TaskDifference[] }) {
  const limit = scaleOf(differences);
  const known = differences.filter((difference) => difference.kind === "difference");
  const isSeeds = entries.some(({ runs }) => runs.length > 1);
  const foot = `Mean over held-out tasks of the difference in success, newest evaluations, with a 95 % bootstrap interval over tasks.${isSeeds ? " Seeds are averaged first: how other seeds would have come out is not in the interval." : " How other seeds would have come out is not in it."}`;
  return (
    <div className="compare-differences">
      <ChartCard title="Difference on the same tasks" value={null} summary={`${differences.map(differenceText).join(". ")}. ${foot}`} table={() => tableOf(known)} foot={foot}>
        <ul className="differences">
          {differences.map((difference) => (
            <li key={difference.entry}>
              <span className="difference-pair">
                <RunKey entry={difference.entry} /> <span>− A</span>
              </span>
              {difference.kind === "difference" ? <IntervalBar difference={difference} limit={limit} /> : <span />}
              <p>
                <b>{differenceText(difference)}</b>
                {difference.kind === "difference" && (
                  <span className="note">
                    {restsOn(difference)}
                    {difference.failed > 0 && ` ${difference.failed} attempts broke down and count as not passed.`}
                  </span>
                )}
              </p>
            </li>
          ))}
        </ul>
        {known.length > 0 && <Scale limit={limit} />}
      </ChartCard>
    </div>
  );
}

const place = (value: number, limit: number): string => `${(50 + (45 * value) / limit).toFixed(2)}%`;

/** Filled where zero lies outside, open where it does not. */
function IntervalBar({ difference: { entry, mean, low, high, side }, limit }: { readonly difference: Known; readonly limit: number }) {
  const { color } = styleOf(entry);
  return (
    <svg className="interval" height="32" aria-hidden="true">
      <line className="interval-zero" x1="50%" x2="50%" y1="0" y2="32" />
      <line x1={place(low, limit)} x2={place(high, limit)} y1="16" y2="16" stroke={color} strokeWidth="2.5" />
      {[low, high].map((end, index) => (
        <line key={index} x1={place(end, limit)} x2={place(end, limit)} y1="10" y2="22" stroke={color} strokeWidth="2" />
      ))}
      <circle cx={place(mean, limit)} cy="16" r="5" fill={side === "not-separated" ? "var(--paper)" : color} stroke={color} strokeWidth="2" />
    </svg>
  );
}

const Scale = ({ limit }: { readonly limit: number }) => (
  <div className="difference-scale" aria-hidden="true">
    <svg className="interval" height="20">
      {[-limit, 0, limit].map((value) => (
        <text key={value} x={place(value, limit)} y="14" textAnchor="middle">
          {value === 0 ? "0, no difference" : signed(value, 1)}
        </text>
      ))}
    </svg>
  </div>
);

/** Task by task, so that every mean can be recounted. */
function tableOf(known: readonly Known[]): ChartTable {
  const [first] = known;
  if (first === undefined) return { columns: [], rows: [], note: "No difference could be taken." };
  return {
    columns: ["Task", letterOf(0), ...known.flatMap(({ entry }) => [letterOf(entry), `${letterOf(entry)} − A`])],
    rows: [
      ["All", fixed(average(first.rates[0]), 3), ...known.flatMap(({ rates: [, rates], mean }) => [fixed(average(rates), 3), signed(mean, 3)])],
      ...first.rates[0].map((rate, task) => [
        String(task + 1), fixed(rate, 3),
        ...known.flatMap(({ rates: [own, rates] }) => [fixed(rates[task] ?? 0, 3), signed((rates[task] ?? 0) - (own[task] ?? 0), 3)]),
      ]),
    ],
    note: known.map(differenceText).join(". "),
  };
}
