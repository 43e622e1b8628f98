import { isConstant, mean, populationStd, sampleStd } from "#core/statistics.ts";
import type { GroupRecord } from "#run/run-event.ts";

type Std = "population" | "sample" | "none";

/** Mean, deviation and the centred value of one number among others, as `groupAdvantage` takes them. */
export interface Centred {
  readonly mean: number;
  /** 0 where it is not divided by. */
  readonly deviation: number;
  readonly result: number;
  /** All equal, or alone: nothing to compare, and 0 by definition. */
  readonly isIdle: boolean;
}

export function centred(value: number, among: readonly number[], std: Std, eps: number): Centred {
  const middle = mean(among);
  const deviation = std === "none" || among.length < 2 ? 0 : std === "population" ? populationStd(among) : sampleStd(among);
  if (isConstant(among)) return { mean: middle, deviation, result: 0, isIdle: true };
  return { mean: middle, deviation, result: (value - middle) / (std === "none" ? 1 : deviation + eps), isIdle: false };
}

/** [members] what each trajectory was paid in all; failed ones have none. */
export const paidInAll = ({ members }: GroupRecord): readonly { readonly member: number; readonly value: number }[] =>
  members.flatMap(({ ending, reward }, member) => (ending === "failed" ? [] : [{ member, value: reward }]));
