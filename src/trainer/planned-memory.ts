import { needsReference } from "#algorithms/needs.ts";
import type { Task } from "#core/environment.ts";
import type { Executor } from "#engine/executor.ts";
import { memoryOf } from "#engine/memory.ts";
import { heaviestRow, layoutOf } from "#engine/model.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { Arena, JudgedRollout } from "./arena.ts";
import { MOST_AT_ONCE } from "./evaluate.ts";
import { modelOf } from "./open-policy.ts";

/** Mean size of one trajectory, as sampled: input tokens of all its sequences, and those it chose. */
export interface TrajectorySize {
  readonly rows: number;
  readonly picks: number;
}

export function sizeOf(rollouts: readonly Pick<JudgedRollout, "trajectory">[]): TrajectorySize {
  const count = Math.max(1, rollouts.length);
  const sum = (of: (trajectory: JudgedRollout["trajectory"]) => number): number => rollouts.reduce((total, { trajectory }) => total + of(trajectory), 0);
  return {
    rows: sum(({ sequences }) => sequences.reduce((total, { tokens }) => total + tokens.length - 1, 0)) / count,
    picks: sum(({ turns }) => turns.reduce((total, { start, end }) => total + end - start, 0)) / count,
  };
}

/** Bytes that the policy of a run will take, if its trajectories stay as long as `size` says. */
export function plannedMemory<T extends Task, S>(config: RunConfig, { harness }: Pick<Arena<T, S>, "harness">, executor: Pick<Executor, "rowsAtOnce">, size: TrajectorySize): number {
  const { groupSize, groupsPerUpdate, minibatches } = config.algorithm;
  const learnt = groupSize * Math.ceil(groupsPerUpdate / minibatches);
  const contexts = Math.max(groupSize * groupsPerUpdate, Math.min(MOST_AT_ONCE, config.evaluation.tasks * config.evaluation.trials));
  const layout = layoutOf(modelOf(config, harness.vocabulary.words.length));
  return memoryOf(layout, harness.automaton.states, executor.rowsAtOnce(heaviestRow(layout)), {
    rows: Math.ceil(learnt * size.rows), picks: Math.ceil(learnt * size.picks),
    // All contexts are computed anew after a step; no call computes more of them than trajectories have tokens.
    contexts, contextTokens: Math.ceil(contexts * Math.min(size.rows, config.policy.context)), actionTokens: harness.longestAction,
    hasReference: needsReference(config),
  });
}
