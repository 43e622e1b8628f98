import type { RunState } from "#store/run-state.ts";
import { evaluationsAt, pointAt } from "#store/selectors.ts";
import type { SeriesMetric, SeriesPoint } from "#store/series.ts";
import { fixed, percent } from "../format.ts";

/** A sign that learning goes wrong: what it is, in words, and the number that it shows in. */
export interface Alarm {
  readonly metric: SeriesMetric | null;
  readonly text: string;
}

/** Thresholds were seen in experiments, they are not tuned: see Help. */
export const KL_LIMIT = 0.01;
const LOW_SUCCESS = 0.7;
const DETERMINISTIC_GAP = 0.05;
const COLLAPSED_ENTROPY = 0.02;
const DEAD_GRADIENT = 0.05;
const WINDOW = 5;
const RISE = 0.15;
const HALF = 0.5;
const NEARLY_ALL = 0.9;

type AlarmState = Pick<RunState, "series" | "evaluations" | "past" | "config" | "update">;

const meanOf = (points: readonly SeriesPoint[], metric: SeriesMetric): number | null => {
  const values = points.flatMap(({ values: point }) => point[metric] ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
};

/** What breaks a run before what only slows it. */
export function alarmsAt(run: AlarmState, at: number | null): readonly Alarm[] {
  const points = run.series.points.filter(({ from }) => from <= (at ?? run.update));
  const point = pointAt(run.series, at ?? run.update);
  if (point === null) return [];
  const { success, kl, entropy, gradNorm } = point.values;
  const isLow = success !== null && success < LOW_SUCCESS;
  const found: (Alarm | null)[] = [
    kl !== null && kl > KL_LIMIT
      ? { metric: "kl", text: `KL ${fixed(kl, 3)} per update, above ${KL_LIMIT}: the steps are too large. Lower the learning rate.` }
      : null,
    isLow && entropy !== null && entropy < COLLAPSED_ENTROPY
      ? { metric: "entropy", text: `Policy collapsed: entropy ${fixed(entropy, 3)} at success ${fixed(success)}. It does nearly the same every time.` }
      : null,
    noCredit(points, success),
    bonusWithoutGradient(run, gradNorm),
    deterministic(run, at),
  ];
  return found.filter((alarm) => alarm !== null);
}

/** Groups that nothing is learnt from while much is still to be learnt; where nearly all succeed they are no alarm. */
function noCredit(points: readonly SeriesPoint[], success: number | null): Alarm | null {
  const now = meanOf(points.slice(-WINDOW), "noSignalShare");
  if (now === null || success === null || success >= LOW_SUCCESS) return null;
  if (now >= NEARLY_ALL) return { metric: "noSignalShare", text: `In ${percent(now)} of groups no turn gets credit at success ${fixed(success)}: nothing is left to learn from.` };
  const before = meanOf(points.slice(-3 * WINDOW, -2 * WINDOW), "noSignalShare");
  if (before === null || now < HALF || now - before < RISE) return null;
  return { metric: "noSignalShare", text: `Groups in which no turn gets credit rose from ${percent(before)} to ${percent(now)} at success ${fixed(success)}.` };
}

function bonusWithoutGradient({ config }: AlarmState, gradNorm: number | null): Alarm | null {
  const objective = config?.algorithm.objective;
  const bonus = objective !== undefined && "entropyCoefficient" in objective ? objective.entropyCoefficient : 0;
  if (bonus === 0 || gradNorm === null || gradNorm >= DEAD_GRADIENT) return null;
  return { metric: "gradNorm", text: `Entropy bonus while the gradient norm is ${fixed(gradNorm, 3)}: entropy can run away.` };
}

function deterministic(run: AlarmState, at: number | null): Alarm | null {
  const report = evaluationsAt(run, at).current?.report;
  const [first, last] = [report?.passHatK[0], report?.passHatK.at(-1)];
  if (report === undefined || first === undefined || last === undefined || report.passHatK.length < 2) return null;
  if (first >= LOW_SUCCESS || first - last >= DETERMINISTIC_GAP) return null;
  return { metric: null, text: `pass^1 ${fixed(first)} is close to pass^${report.passHatK.length} ${fixed(last)}: the policy became deterministic.` };
}
