import { quantile } from "#core/statistics.ts";
import { excludesZero } from "#run/skill-sign.ts";
import { cosineOf } from "./gradient.ts";
import { shareOf, type JudgedTurn } from "./meters.ts";

/** Inner products of the gradients of some groups under a scheme, and under skill, [n × n] row-major. */
export interface GradientProducts {
  readonly groups: number;
  readonly scheme: Float64Array;
  readonly cross: Float64Array;
  readonly skill: Float64Array;
}

/** What one scheme did to one group. */
export interface GroupUnderScheme {
  readonly turns: readonly JudgedTurn[];
  /** Whether some members succeeded and some did not: only such groups tell schemes apart. */
  readonly isMixed: boolean;
  readonly extraTokens: number;
  readonly extraSteps: number;
  readonly trajectories: number;
}

/** With its 95 % bootstrap interval over groups; null where there is nothing, or too little, to take it of. */
export interface Estimate {
  readonly value: number | null;
  readonly interval: readonly [number, number] | null;
}

export interface SchemeScores {
  /** Pearson's, of credit with skill, over the turns of mixed groups. */
  readonly correlation: Estimate;
  /** Share of the turns of mixed groups whose interval of skill excludes zero that are paid with skill's sign, of `count`. */
  readonly signAgreement: Estimate & { readonly count: number };
  /** Share of the good questions of mixed groups that are paid less than zero, of `count`. */
  readonly goodQuestionsPunished: Estimate & { readonly count: number };
  /** Of the gradient of a batch with that under skill, mean over batches. */
  readonly gradientCosine: Estimate;
  /** Beyond the trajectories, per trajectory. */
  readonly extraTokens: Estimate;
  readonly extraSteps: number;
}

const RESAMPLES = 1000;

/** @param statistic of the groups drawn, by index; null where undefined */
function estimated(count: number, draw: () => number, statistic: (picked: readonly number[]) => number | null): Estimate {
  const all = Array.from({ length: count }, (_, index) => index);
  const value = statistic(all);
  if (value === null) return { value, interval: null };
  const values: number[] = [];
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    const again = statistic(all.map(() => Math.floor(draw() * count)));
    if (again !== null) values.push(again);
  }
  const sorted = Float64Array.from(values).toSorted();
  return { value, interval: sorted.length === 0 ? null : [quantile(sorted, 0.025), quantile(sorted, 0.975)] };
}

/** n, Σx, Σy, Σxx, Σyy, Σxy of credit x and skill y. */
function moments(turns: readonly JudgedTurn[]): readonly number[] {
  const sums = [0, 0, 0, 0, 0, 0];
  for (const { credit: x, skill: y } of turns) for (const [index, term] of [1, x, y, x * x, y * y, x * y].entries()) sums[index] = (sums[index] as number) + term;
  return sums;
}

function correlationOf(groups: readonly (readonly number[])[], picked: readonly number[]): number | null {
  const [n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0] = [0, 1, 2, 3, 4, 5].map((index) => picked.reduce((sum, group) => sum + (groups[group]?.[index] ?? 0), 0));
  const [varianceX, varianceY] = [n * xx - x * x, n * yy - y * y];
  // What rounding leaves of a scheme that pays all turns alike is no variance.
  return n > 1 && varianceX > 1e-12 * n * xx && varianceY > 1e-12 * n * yy ? (n * xy - x * y) / Math.sqrt(varianceX * varianceY) : null;
}

function ratioOf(parts: readonly (readonly [number, number])[], picked: readonly number[]): number | null {
  let [part, whole] = [0, 0];
  for (const group of picked) [part, whole] = [part + (parts[group]?.[0] ?? 0), whole + (parts[group]?.[1] ?? 0)];
  return whole === 0 ? null : part / whole;
}

function counted(groups: readonly GroupUnderScheme[], draw: () => number, isMeant: (turn: JudgedTurn) => boolean, isCounted: (turn: JudgedTurn) => boolean): Estimate & { readonly count: number } {
  const parts = groups.map(({ turns }): readonly [number, number] => {
    const meant = turns.filter(isMeant);
    return [meant.filter(isCounted).length, meant.length];
  });
  const [part, whole] = [parts.reduce((sum, [yes]) => sum + yes, 0), parts.reduce((sum, [, of]) => sum + of, 0)];
  const { share, count } = shareOf(part, whole);
  return share === null ? { value: null, interval: null, count } : { ...estimated(groups.length, draw, (picked) => ratioOf(parts, picked)), count };
}

/** Of a batch made of some of its groups, each as often as drawn. */
function batchCosine({ groups, scheme, cross, skill }: GradientProducts, times: Int32Array): number | null {
  let [aa, ab, bb] = [0, 0, 0];
  for (let i = 0; i < groups; i += 1) {
    if (times[i] === 0) continue;
    for (let j = 0; j < groups; j += 1) {
      const weight = (times[i] as number) * (times[j] as number);
      if (weight === 0) continue;
      const at = i * groups + j;
      aa += weight * (scheme[at] as number);
      ab += weight * (cross[at] as number);
      bb += weight * (skill[at] as number);
    }
  }
  return cosineOf(ab, aa, bb);
}

/** Groups are drawn anew within each batch. */
function gradientEstimate(batches: readonly GradientProducts[], draw: () => number): Estimate {
  const meanOf = (timesOf: (batch: GradientProducts) => Int32Array): number | null => {
    const cosines = batches.map((batch) => batchCosine(batch, timesOf(batch))).filter((value) => value !== null);
    return cosines.length === 0 ? null : cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
  };
  const value = meanOf(({ groups }) => new Int32Array(groups).fill(1));
  if (value === null) return { value, interval: null };
  const again: number[] = [];
  for (let resample = 0; resample < RESAMPLES / 2; resample += 1) {
    const mean = meanOf(({ groups }) => {
      const times = new Int32Array(groups);
      for (let drawn = 0; drawn < groups; drawn += 1) {
        const index = Math.floor(draw() * groups);
        times[index] = (times[index] as number) + 1;
      }
      return times;
    });
    if (mean !== null) again.push(mean);
  }
  const sorted = Float64Array.from(again).toSorted();
  return { value, interval: sorted.length === 0 ? null : [quantile(sorted, 0.025), quantile(sorted, 0.975)] };
}

/** Signs are judged wherever the interval of skill excludes zero, near it too: nothing is drawn here. @param draw uniform in [0, 1) */
export function scoresOf(groups: readonly GroupUnderScheme[], batches: readonly GradientProducts[], draw: () => number): SchemeScores {
  const mixed = groups.filter(({ isMixed }) => isMixed);
  const sums = mixed.map(({ turns }) => moments(turns));
  const tokens = groups.map(({ extraTokens, trajectories }): readonly [number, number] => [extraTokens, trajectories]);
  const steps = groups.map(({ extraSteps, trajectories }): readonly [number, number] => [extraSteps, trajectories]);
  return {
    correlation: estimated(mixed.length, draw, (picked) => correlationOf(sums, picked)),
    signAgreement: counted(mixed, draw, excludesZero, ({ skill, credit }) => skill * credit > 0),
    goodQuestionsPunished: counted(mixed, draw, (turn) => turn.isQuestion && turn.skill > 0 && excludesZero(turn), ({ credit }) => credit < 0),
    gradientCosine: gradientEstimate(batches, draw),
    extraTokens: estimated(groups.length, draw, (picked) => ratioOf(tokens, picked)),
    extraSteps: ratioOf(steps, steps.map((_, index) => index)) ?? 0,
  };
}
