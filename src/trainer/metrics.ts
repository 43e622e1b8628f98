import type { Task } from "#core/environment.ts";
import { mean, populationStd } from "#core/statistics.ts";
import type { UpdateMetrics } from "#run/run-event.ts";
import { returnsOf } from "./group-record.ts";
import type { Cost } from "./provide/meter.ts";
import type { SampledGroup } from "./roll-out.ts";

/** What one optimiser step measured. */
export interface StepMetrics {
  readonly loss: number;
  readonly gradNorm: number;
  readonly metrics: Readonly<Record<string, number>>;
}

const meanOrNull = (values: readonly number[]): number | null => (values.length === 0 ? null : mean(values));

/** Turns that the harness or the environment answered with an error. */
const isError = (kind: string): boolean => kind === "error" || kind === "malformed";

/** @param trained groups that some credit was paid to: the others are without signal. @param cost of what the scheme needed */
export function updateMetrics(groups: readonly SampledGroup<Task, unknown>[], trained: number, cost: Cost, steps: readonly StepMetrics[], learningRate: number): UpdateMetrics {
  const judged = groups.flatMap(({ rollouts }) => rollouts);
  const scored = judged.filter(({ error }) => error === undefined);
  const count = judged.length;
  const rewards = groups.map(({ scored: group }) => returnsOf(group));
  const all = rewards.flat();
  const turns = judged.flatMap(({ trajectory }) => trajectory.turns);
  const ofSteps = (name: string): number | null => meanOrNull(steps.flatMap(({ metrics }) => metrics[name] ?? []));
  return {
    reward: all.length === 0 ? 0 : mean(all),
    success: scored.length === 0 ? 0 : scored.filter(({ verdict }) => verdict.success).length / scored.length,
    trajectories: count,
    tokens: judged.reduce((sum, { trajectory }) => sum + trajectory.sequences.reduce((length, { tokens }) => length + tokens.length, 0), 0),
    sampledTokens: turns.reduce((sum, { start, end }) => sum + end - start, 0),
    failed: count - scored.length,
    turns: turns.length / count,
    errors: turns.filter(({ observation }) => isError(observation.kind)).length / count,
    truncatedShare: judged.filter(({ trajectory }) => trajectory.ending === "truncated").length / count,
    allZeroShare: rewards.filter((group) => group.every((reward) => reward === 0)).length / groups.length,
    noSignalShare: (groups.length - trained) / groups.length,
    rewardSpread: mean(rewards.map((group) => (group.length === 0 ? 0 : populationStd(group)))),
    loss: meanOrNull(steps.map(({ loss }) => loss)),
    gradNorm: meanOrNull(steps.map(({ gradNorm }) => gradNorm)),
    clipFraction: ofSteps("clipFraction"),
    kl: ofSteps("approxKl"),
    entropy: ofSteps("meanEntropy"),
    learningRate,
    extraSteps: cost.steps,
    extraTokens: cost.tokens,
  };
}
