import type { Rng } from "#core/chance.ts";
import type { Environment, Maybe, Outcome, ScriptedAgent, Task, Verdict } from "#core/environment.ts";
import { drawFrom } from "#core/rng.ts";
import type { Action, Ending, Observation, SeenStep, TurnEvent } from "#core/trajectory.ts";

export interface Played<S> {
  readonly first: Observation;
  /** One step a turn. */
  readonly seen: readonly SeenStep[];
  readonly state: S;
  readonly ending: Ending;
  /** [turns] */
  readonly events: readonly (readonly TurnEvent[])[];
  readonly verdict: Verdict;
}

export type Act<S> = (state: S, last: Observation) => Action;

/** Whatever answers at once goes on at once. */
const whenKnown = <A, B>(value: Maybe<A>, follow: (known: A) => Maybe<B>): Maybe<B> =>
  value instanceof Promise ? value.then(follow) : follow(value);

/**
 * Plays an episode of at most `horizon` turns without a harness; chance is drawn from `rng` by turn. A promise only where the
 * environment gives one.
 */
export function play<C, T extends Task, S>(
  environment: Environment<C, T, S>, task: T, act: Act<S>, horizon: number, rng: Rng,
): Maybe<Played<S>> {
  const { state: start, observation: first } = environment.reset(task);
  const seen: SeenStep[] = [];
  const events: (readonly TurnEvent[])[] = [];

  const end = (state: S, ending: Ending): Maybe<Played<S>> => whenKnown(
    environment.verdict(task, state, seen, ending),
    (verdict) => ({ first, seen, state, ending, events, verdict }),
  );
  const turn = (state: S, last: Observation): Maybe<Played<S>> => {
    if (seen.length >= horizon) return end(state, "truncated");
    const action = act(state, last);
    return whenKnown(environment.outcomes(state, action), (outcomes) => {
      const drawn = drawFrom(rng.fork(`turn/${seen.length}`), outcomes.map(({ probability }) => probability));
      const outcome = outcomes[drawn] as Outcome<S>;
      seen.push({ action, observation: outcome.observation });
      events.push(outcome.events);
      return outcome.terminated ? end(outcome.state, "terminated") : turn(outcome.state, outcome.observation);
    });
  };
  return turn(start, first);
}

/** An agent that acts on observations alone, for one episode. */
export const alone = (agent: ScriptedAgent, rng: Rng): Act<unknown> => {
  const act = agent(rng);
  return (_state, last) => act(last);
};
