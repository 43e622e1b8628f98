import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import type { RunState } from "./run-state.ts";
import type { Series } from "./series.ts";

/** What training was paid lately, beside what the policy does on held-out tasks. */
export interface GapPoint {
  readonly update: number;
  /** Mean reward of an attempt since the evaluation before, over ten updates at most. */
  readonly score: number;
  /** Strict success of the same attempts: what of the score was earned. */
  readonly success: number;
  readonly heldout: number;
  /** 95 % interval of the held-out success. */
  readonly interval: readonly [number, number];
}

/** A training score may exceed held-out success by so much before it is worth a look (the product's own figure). */
const LEAST_GAP = 0.2;
/**
 * Evaluations in a row that must show it. They come every ten to fifty updates here, a handful a run, so that twenty would never be
 * reached. Each is counted against the upper end of its interval, so that one alone is hardly chance; two say that it lasts.
 */
const EVALUATIONS = 2;
const RECENT = 10;

/** Mean of the updates after `from` up to `to`, by how many each point stands for; undefined where there are none. */
function meanOf({ points }: Series, name: "reward" | "success", from: number, to: number): number | undefined {
  const within = points.filter((point) => point.to <= to && point.to > from);
  const updates = within.reduce((sum, point) => sum + point.updates, 0);
  return updates === 0 ? undefined : within.reduce((sum, point) => sum + (point.values[name] ?? 0) * point.updates, 0) / updates;
}

/** Of a run whose reward is a share of attempts; none for points, which cannot be laid beside a rate, and for controls. */
export function gapPoints({ config, past, series }: Pick<RunState, "config" | "past" | "series">): readonly GapPoint[] {
  if (config === null || REWARD_SOURCES[config.reward.id].trust !== "verifiable") return [];
  return past.flatMap(({ update, report }, index): readonly GapPoint[] => {
    const from = Math.max(past[index - 1]?.update ?? 0, update - RECENT);
    const [score, success] = [meanOf(series, "reward", from, update), meanOf(series, "success", from, update)];
    const [heldout, interval] = [report.passHatK[0], report.passHatKInterval[0]];
    return score === undefined || success === undefined || heldout === undefined || interval === undefined ? [] : [{ update, score, success, heldout, interval }];
  });
}

const exceeds = ({ score, interval: [, high] }: GapPoint): boolean => score - high > LEAST_GAP;

/** All evaluations of a run whose latest ones show the gap; null while they do not. */
export function rewardGap(run: Pick<RunState, "config" | "past" | "series">): readonly GapPoint[] | null {
  const points = gapPoints(run);
  return points.length >= EVALUATIONS && points.slice(-EVALUATIONS).every(exceeds) ? points : null;
}

/** Where the gap comes from: a check that believes too much, or tasks that are unlike those trained on. */
export const gapCause = ({ score, success, heldout }: Omit<GapPoint, "interval">): "check" | "tasks" => (score - success >= success - heldout ? "check" : "tasks");
