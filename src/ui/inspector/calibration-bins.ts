import { mean } from "#core/statistics.ts";
import type { CreditConfig } from "#algorithms/credit/registry.ts";
import type { CreditBasis } from "#run/assessment.ts";
import type { GroupRecord } from "#run/run-event.ts";

type Critic = Extract<CreditConfig, { id: "critic" }>;
export type Values = Extract<CreditBasis, { readonly kind: "values" }>;

/** Of one turn: V before it, and the discounted rewards that came from there on. */
export interface Prediction {
  readonly predicted: number;
  readonly happened: number;
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Means over the bin's turns. */
  readonly predicted: number;
  readonly happened: number;
  /** 1.96 standard errors of what happened, the turns taken as independent; null below two. */
  readonly halfWidth: number | null;
}

/** Fewer turns in all are no picture, in one bin no point. */
export const LEAST_TURNS = 20;
export const LEAST_IN_BIN = 5;
const BINS = 5;

/**
 * What a critic said of the turns of a group and what came of them. Rollouts that failed, and those cut off where the critic bootstraps, are
 * left out: what would have come of them is not known.
 */
export function predictionsOf({ members }: GroupRecord, { values }: Values, { gamma, atBudget }: Pick<Critic, "gamma" | "atBudget">): readonly Prediction[] {
  return members.flatMap(({ turns, ending }, member) => {
    if (ending === "failed" || (ending === "truncated" && atBudget !== "judged")) return [];
    let happened = 0;
    return turns.map(({ reward }, turn) => ({ reward, predicted: values[member]?.[turn] })).toReversed().flatMap(({ reward, predicted }) => {
      happened = reward + gamma * happened;
      return predicted === undefined ? [] : [{ predicted, happened }];
    });
  });
}

/** Five bins of equal width over what was predicted, empty ones left out; none below 20 turns. */
export function calibrationBins(predictions: readonly Prediction[]): readonly Bin[] {
  if (predictions.length < LEAST_TURNS) return [];
  const all = predictions.map(({ predicted }) => predicted);
  const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
  const width = (high - low) / BINS;
  return Array.from({ length: BINS }, (_, index) => {
    const [from, to] = [low + index * width, low + (index + 1) * width];
    const inside = predictions.filter(({ predicted }) => Math.min(BINS - 1, Math.floor((predicted - low) / width)) === index);
    const happened = mean(inside.map((one) => one.happened));
    const squares = inside.reduce((sum, one) => sum + (one.happened - happened) ** 2, 0);
    return {
      from, to, count: inside.length, predicted: mean(inside.map((one) => one.predicted)), happened,
      halfWidth: inside.length < 2 ? null : 1.96 * Math.sqrt(squares / (inside.length - 1) / inside.length),
    };
  }).filter(({ count }) => count > 0);
}
