import type { CreditConfig } from "#algorithms/credit/registry.ts";
import { fixed } from "../format.ts";
import type { GroupEntry } from "#store/run-state.ts";
import { useRun } from "../workbench-context.ts";
import { calibrationBins, LEAST_IN_BIN, LEAST_TURNS, predictionsOf, type Bin, type Prediction, type Values } from "./calibration-bins.ts";

type Critic = Extract<CreditConfig, { id: "critic" }>;

interface CalibrationProps {
  readonly entry: GroupEntry;
  readonly config: Critic;
  readonly values: Values;
}

/** V against what happened: on the line where a critic is as right as it is sure. From all groups of the run that were assessed. */
export function Calibration({ entry, config, values }: CalibrationProps) {
  const assessments = useRun("board", (run) => run.findings.assessments);
  const groups = useRun("board", (run) => run.groups);
  const others = assessments.flatMap(({ groupId, truth, schemes }) => {
    if (groupId === entry.group.groupId || truth.given !== "history") return [];
    const basis = schemes.find(({ id }) => id === "critic")?.basis;
    const known = groups.find(({ group }) => group.groupId === groupId);
    return known !== undefined && basis?.kind === "values" ? [predictionsOf(known.group, basis, config)] : [];
  });
  const own = predictionsOf(entry.group, values, config);
  const predictions: readonly Prediction[] = [...own, ...others.flat()];
  const of = `${predictions.length} turns of ${others.length + 1} ${others.length === 0 ? "group" : "groups"}`;
  const bins = calibrationBins(predictions);
  return (
    <section className="calibration">
      <h3>
        <span className="role role-credit" />
        V and what happened <span className="note">{of}</span>
      </h3>
      {bins.length === 0 ? (
        <p className="formula-note">Too few turns to tell: {LEAST_TURNS} are needed. Pause at other updates, and their groups are added.</p>
      ) : (
        <Plot bins={bins} />
      )}
    </section>
  );
}

const SIDE = 120;
const EDGE = 22;

function Plot({ bins }: { readonly bins: readonly Bin[] }) {
  const ends = bins.flatMap(({ predicted, happened }) => [predicted, happened]);
  const [low, high] = [Math.min(0, ...ends), Math.max(1, ...ends)];
  const at = (value: number): number => (SIDE * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
  const [x, y] = [(value: number): number => EDGE + at(value), (value: number): number => 4 + SIDE - at(value)];
  const told = bins.map(({ from, to, count, predicted, happened }) => `V from ${fixed(from)} to ${fixed(to)}: mean ${fixed(predicted)}, happened ${fixed(happened)}, ${count} turns`).join("; ");
  return (
    <div className="calibration-plot">
      <svg width={EDGE + SIDE + 8} height={SIDE + 24} role="img" aria-label={told}>
        <rect className="calibration-frame" x={EDGE} y={4} width={SIDE} height={SIDE} />
        <line className="calibration-line" x1={x(low)} y1={y(low)} x2={x(high)} y2={y(high)} />
        {bins.map(({ from, count, predicted, happened, halfWidth }) => (
          <g key={from}>
            {halfWidth !== null && <line className="calibration-whisker" x1={x(predicted)} x2={x(predicted)} y1={y(happened - halfWidth)} y2={y(happened + halfWidth)} />}
            <circle className={count < LEAST_IN_BIN ? "calibration-dot is-few" : "calibration-dot"} cx={x(predicted)} cy={y(happened)} r={4} />
          </g>
        ))}
        <text x={EDGE - 4} y={y(low)} textAnchor="end">
          {fixed(low, 0)}
        </text>
        <text x={EDGE - 4} y={y(high) + 10} textAnchor="end">
          {fixed(high, 0)}
        </text>
        <text x={x(low)} y={SIDE + 20}>
          V
        </text>
      </svg>
      <p className="formula-note">
        Across: V before a turn, in bins. Up: the rewards from there on, mean and 95 %, as if turns were independent. Hollow: under {LEAST_IN_BIN} turns.
      </p>
    </div>
  );
}
