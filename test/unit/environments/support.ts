import type { Environment, Maybe, Outcome, Task, World } from "#core/environment.ts";
import { canonical } from "#core/json.ts";
import type { Action, Json, SeenStep } from "#core/trajectory.ts";

export const tool = (name: string, order?: string): Action => ({ kind: "tool", name, args: order === undefined ? {} : { order } });

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** @throws where an environment that should answer at once gave a promise. */
export function atOnce<T>(value: Maybe<T>): T {
  if (value instanceof Promise) throw new Error("expected an answer at once, got a promise");
  return value;
}

/** Key order apart, the same for equal values. */
export const text = (value: unknown): string => canonical(JSON.parse(JSON.stringify(value)) as Json);

/** Worlds after one more step, by Bayes' rule through `outcomes`: what `worlds` of the longer history must give. */
export function filtered<C, T extends Task, S>(
  environment: Environment<C, T, S>, before: readonly World<T, S>[], { action, observation }: SeenStep,
): World<T, S>[] {
  const seen = text(observation);
  const kept = before.flatMap((world) =>
    atOnce(environment.outcomes(world.state, action))
      .filter((outcome: Outcome<S>) => text(outcome.observation) === seen)
      .map(({ probability, state }) => ({ ...world, state, probability: world.probability * probability })),
  );
  const total = kept.reduce((sum, { probability }) => sum + probability, 0);
  return kept.map((world) => ({ ...world, probability: world.probability / total }));
}
