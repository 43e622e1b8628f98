import type { Task } from "#core/environment.ts";
import { FREE_STATE } from "#core/tokens.ts";
import type { Completion } from "#core/policy.ts";
import type { Action, Observation } from "#core/trajectory.ts";
import { Episode, type EpisodeSpec, type Rollout } from "./episode.ts";
import { walkAutomaton } from "./grammar.ts";
import type { LoopHarness } from "./tool-loop.ts";

/** A scripted agent: an environment's demonstrator, or one that looks at `last` alone. */
export type Act<S> = (state: S, last: Observation) => Action;

/**
 * The completion a policy would have given to take `action`, log-probabilities 0.
 * @throws HarnessError for an action that cannot be written, or not within the grammar while `constrained`.
 */
export function scriptedCompletion(harness: LoopHarness, action: Action, constrained: boolean): Completion {
  const tokens = harness.encode(action);
  return {
    tokens,
    logprobs: new Float32Array(tokens.length),
    automatonStates: constrained ? walkAutomaton(harness.automaton, tokens) : new Uint16Array(tokens.length).fill(FREE_STATE),
    stop: tokens.at(-1) === harness.automaton.endToken ? "end-of-action" : "length",
  };
}

/** Plays a scripted agent through the same loop, budget and rendering as a policy. What `act` throws passes through. */
export async function demonstrate<T extends Task, S>(spec: EpisodeSpec<T, S>, act: Act<S>): Promise<Rollout<S>> {
  const episode = new Episode(spec);
  for (let now = episode.now; now !== undefined && episode.request() !== undefined; now = episode.now) {
    const pending = episode.advance(scriptedCompletion(spec.harness, act(now.state, now.last), spec.constrained));
    if (pending !== undefined) await pending;
  }
  return episode.result();
}
