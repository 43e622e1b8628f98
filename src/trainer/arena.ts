import type { Rng } from "#core/chance.ts";
import type { Environment, OwnDemonstration, Services, Split, Task, Verdict } from "#core/environment.ts";
import type { Budget, Wording } from "#core/harness.ts";
import type { PolicyBackend } from "#core/policy.ts";
import type { Action, Observation, SeenStep, Trajectory } from "#core/trajectory.ts";
import { openEnvironment, type About, type StoryRole } from "#environments/implementations.ts";
import { ENVIRONMENTS } from "#environments/registry.ts";
import type { EpisodeSpec, Rollout } from "#harness/episode.ts";
import { createHarness } from "#harness/implementations.ts";
import { rollouts, type RolloutOptions } from "#harness/scheduler.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import type { RunConfig } from "#run/run-config.ts";

/** An environment with the harness and the settings of one run. */
export interface Arena<T extends Task, S> {
  readonly environment: Environment<unknown, T, S>;
  readonly harness: LoopHarness;
  readonly budget: Budget;
  readonly constrained: boolean;
  /** Demonstrations a base policy is made from are this skilled. */
  readonly demonstrationSkill: number;
  readonly story: readonly StoryRole[];
  /** Whether an action asks somebody something. */
  isQuestion(action: Action): boolean;
  tasks(split: Split, count: number, rng: Rng): readonly T[];
  /** Training tasks that demonstrations are given on: all presets of an environment share one base policy. */
  demonstrationTasks(count: number, rng: Rng): readonly T[];
  /** A person's demonstrations that the configuration carries. @throws TaskError for one that is none */
  plays(): readonly OwnDemonstration<T>[];
  spec(task: T, groupId: string, rng: Rng, policyVersion: number): EpisodeSpec<T, S>;
  /** What may be behind a history, as the environment's `worlds` says under the run's settings. */
  worlds(task: T, first: Observation, seen: readonly SeenStep[], rng: Rng, limit: number): ReturnType<Environment<unknown, T, S>["worlds"]>;
}

export interface JudgedRollout<S = unknown> {
  readonly trajectory: Trajectory;
  readonly wording: Wording;
  /** [turns] what each turn acted on, hidden part included. */
  readonly states: readonly S[];
  readonly verdict: Verdict;
  /** What went wrong in a failed rollout: it is counted apart and never rewarded. */
  readonly error: string | undefined;
}

const NOT_JUDGED: Verdict = { success: false, checks: [], monitors: [] };

/**
 * Calls `within` with the arena that the configuration names; the types of its tasks and states stay inside.
 * @param services what environments may use of the machine; one that misses its own throws.
 */
export function withArena<R>(config: RunConfig, within: <T extends Task, S>(arena: Arena<T, S>) => R, services: Partial<Services> = {}): R {
  const { environment: settings, harness } = config;
  const open = <C, T extends Task, S>(environment: Environment<C, T, S>, chosen: C, { demonstrationSkill, demonstrationSettings, story }: About<C>): R => {
    const questions: readonly string[] = ENVIRONMENTS[settings.id].questions;
    const loop = createHarness(harness, environment.tools, environment.words, environment.withheld);
    const budget = { turns: harness.turns, tokens: config.policy.context, retries: harness.retries };
    return within<T, S>({
      environment,
      harness: loop,
      budget,
      constrained: harness.constrained,
      demonstrationSkill,
      story,
      isQuestion: (action) => action.kind === "tool" && questions.includes(action.name),
      tasks: (split, count, rng) => environment.tasks(chosen, split, count, rng),
      demonstrationTasks: (count, rng) => environment.tasks({ ...chosen, ...demonstrationSettings }, "train", count, rng),
      plays: () => environment.plays?.(chosen) ?? [],
      spec: (task, groupId, rng, policyVersion) => ({
        environment, harness: loop, task, groupId, budget, rng, policyVersion, constrained: harness.constrained, varyWording: harness.varyWording,
      }),
      worlds: (task, first, seen, rng, limit) => environment.worlds(chosen, task, first, seen, rng, limit),
    });
  };
  return openEnvironment(settings, services, open);
}

async function judge<T extends Task, S>(arena: Pick<Arena<T, S>, "environment">, task: T, { trajectory, seen, wording, states, finalState, error }: Rollout<S>): Promise<JudgedRollout<S>> {
  if (error !== undefined || finalState === undefined) return { trajectory, wording, states, verdict: NOT_JUDGED, error: error?.message ?? "the episode never started" };
  const judged = arena.environment.verdict(task, finalState, seen, trajectory.ending);
  return { trajectory, wording, states, verdict: judged instanceof Promise ? await judged : judged, error: undefined };
}

/** Samples and judges one trajectory per spec, in order. */
export async function playAll<T extends Task, S>(
  arena: Pick<Arena<T, S>, "environment">, specs: readonly EpisodeSpec<T, S>[], policy: Pick<PolicyBackend, "sample">, options: RolloutOptions,
): Promise<readonly JudgedRollout<S>[]> {
  const played = await rollouts(specs, policy, options);
  // Together: what judges by running code asks for all its runs at once.
  return Promise.all(played.flatMap((rollout, index) => {
    const task = specs[index]?.task;
    return task ? [judge(arena, task, rollout)] : [];
  }));
}
