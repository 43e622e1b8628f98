import type { Environment, Outcome, Task } from "#core/environment.ts";
import { canonical } from "#core/json.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import type { Pace } from "./pace.ts";

/** What may be behind a history: [worlds] each; weights sum to 1. */
export interface Belief<T, S> {
  readonly tasks: readonly T[];
  readonly states: readonly S[];
  readonly weights: readonly number[];
}

/** All that a step may be answered with, one entry per observation. */
export interface Answer<T, S> {
  readonly observation: Observation;
  /** `observationText` of it. */
  readonly text: string;
  readonly probability: number;
  /** Whether the episode ended with it. */
  readonly terminated: boolean;
  /** What may be behind the history that this answer makes. */
  readonly belief: Belief<T, S>;
}

/** Equal for observations that nobody can tell apart. */
export const observationText = ({ kind, content }: Observation): string => `${kind} ${canonical(content)}`;

export const certain = <T, S>(task: T, state: S): Belief<T, S> => ({ tasks: [task], states: [state], weights: [1] });

interface Gathered<T, S> {
  readonly observation: Observation;
  readonly text: string;
  readonly terminated: boolean;
  readonly tasks: T[];
  readonly states: S[];
  readonly weights: number[];
  probability: number;
}

/**
 * The outcomes of all worlds grouped by observation, with the beliefs they leave; in the order in which they first occur.
 * Worlds that end the episode are apart from those that do not: the policy learns of an ending.
 */
export async function answersTo<C, T extends Task, S>(
  environment: Pick<Environment<C, T, S>, "outcomes">, { tasks, states, weights }: Belief<T, S>, action: Action, pace: Pace,
): Promise<readonly Answer<T, S>[]> {
  const groups = new Map<string, Gathered<T, S>>();
  const gather = (task: T, weight: number, outcomes: readonly Outcome<S>[]): void => {
    for (const { probability, state, observation, terminated } of outcomes) {
      if (probability <= 0) continue;
      const text = observationText(observation);
      const key = terminated ? `end ${text}` : text;
      let group = groups.get(key);
      if (!group) {
        group = { observation, text, terminated, tasks: [], states: [], weights: [], probability: 0 };
        groups.set(key, group);
      }
      group.tasks.push(task);
      group.states.push(state);
      group.weights.push(weight * probability);
      group.probability += weight * probability;
    }
  };
  for (const [world, task] of tasks.entries()) {
    const outcomes = environment.outcomes(states[world] as S, action);
    gather(task, weights[world] ?? 0, outcomes instanceof Promise ? await outcomes : outcomes);
    if (pace.due()) await pace.rest();
  }
  return [...groups.values()].map(({ observation, text, terminated, tasks: of, states: left, weights: masses, probability }) => ({
    observation, text, terminated, probability, belief: { tasks: of, states: left, weights: masses.map((mass) => mass / probability) },
  }));
}

/** Which worlds a belief holds, however it came about; equal texts mean equal beliefs up to the ninth digit of a weight. */
export function beliefText<T extends Task, S>({ tasks, states, weights }: Belief<T, S>): string {
  const masses = new Map<string, number>();
  for (const [world, { id }] of tasks.entries()) {
    const key = `${id} ${canonical(states[world] as never)}`;
    masses.set(key, (masses.get(key) ?? 0) + (weights[world] ?? 0));
  }
  return [...masses].map(([key, mass]) => `${key} ${mass.toFixed(9)}`).toSorted().join("\n");
}
