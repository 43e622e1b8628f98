import type { Rng } from "#core/chance.ts";
import type { Outcome, Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import { drawFrom } from "#core/rng.ts";
import type { Action, Ending, SeenStep } from "#core/trajectory.ts";
import type { EpisodeSpec } from "#harness/episode.ts";
import { rollouts } from "#harness/scheduler.ts";
import type { Worlds } from "./belief.ts";
import type { Choice } from "./choices.ts";
import type { Pace } from "./pace.ts";
import type { Node, Pair, TruthScene, Value } from "./tree.ts";

/** An action of a history, looked into or not; undefined for those that are not listed. */
export interface Option<T, S> extends Readonly<Value> {
  readonly choice: Choice | undefined;
  readonly probability: number;
  readonly pair: Pair<T, S> | undefined;
}

/** All there are, the last of them the actions too improbable to be listed, together. */
export function optionsOf<T, S>({ choices, pairs }: Node<T, S>): readonly Option<T, S>[] {
  const looked = new Map(pairs.map((pair) => [pair.choice, pair]));
  const options = (choices?.list ?? []).map((choice): Option<T, S> => {
    const pair = looked.get(choice);
    return { choice, probability: choice.probability, pair, estimate: pair?.estimate ?? Number.NaN, low: pair?.low ?? 0, unexplored: pair?.unexplored ?? 1 };
  });
  return [...options, { choice: undefined, probability: choices?.rest ?? 1, pair: undefined, estimate: Number.NaN, low: 0, unexplored: 1 }];
}

/** Where exploration ended: at an action not looked into, or, without one, at a history from which the policy goes on. */
export interface Edge<T, S> {
  readonly node: Node<T, S>;
  readonly action: Action | undefined;
}

/**
 * An edge drawn in proportion to its mass behind some options of a node, of which there must be some. Where actions that are not
 * listed are drawn, the policy goes on with any action: there are few of them, or nearly all are.
 */
export function drawEdge<T, S>(node: Node<T, S>, options: readonly Option<T, S>[], rng: Rng): Edge<T, S> {
  const option = options[draw(rng, options.map(({ probability, unexplored }) => probability * unexplored))] as Option<T, S>;
  const { children = [] } = option.pair ?? {};
  const child = children[draw(rng, children.map(({ probability, node: { unexplored } }) => probability * unexplored))]?.node;
  if (!child) return { node, action: option.choice?.written.action };
  return child.choices === undefined ? { node: child, action: undefined } : drawEdge(child, optionsOf(child), rng);
}

/** Index drawn in proportion to masses. */
function draw(rng: Rng, masses: readonly number[]): number {
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  return total > 0 ? drawFrom(rng, masses.map((mass) => mass / total)) : 0;
}

/** Episodes sampled together. */
const CONCURRENCY = 192;

interface Standing<T, S> {
  readonly task: T;
  readonly state: S;
  readonly seen: readonly SeenStep[];
  readonly ending: Ending | undefined;
}

function drawWorld<T, S>({ tasks, states, weights }: Worlds<T, S>, rng: Rng): { readonly task: T; readonly state: S } {
  const world = drawFrom(rng, weights);
  return { task: tasks[world] as T, state: states[world] as S };
}

/** Plays the edges to their ends, sampling from the policy: whether each succeeded. Undefined where the environment failed. */
export async function playOn<T extends Task, S>(
  scene: TruthScene<T, S>, policy: Pick<PolicyBackend, "sample">, edges: readonly { readonly edge: Edge<T, S>; readonly rng: Rng }[], pace: Pace,
): Promise<readonly (boolean | undefined)[]> {
  const { environment, harness, budget, constrained } = scene;
  const stepped = async ({ node, action }: Edge<T, S>, rng: Rng): Promise<Standing<T, S>> => {
    const { task, state } = drawWorld(node.belief, rng.fork("world"));
    if (!action) return { task, state, seen: node.seen, ending: undefined };
    if (action.kind === "malformed") return { task, state, seen: [...node.seen, { action, observation: harness.malformed(action) }], ending: undefined };
    const listed = environment.outcomes(state, action);
    const outcomes = listed instanceof Promise ? await listed : listed;
    const outcome = outcomes[drawFrom(rng.fork("outcome"), outcomes.map(({ probability }) => probability))] as Outcome<S>;
    return { task, state: outcome.state, seen: [...node.seen, { action, observation: outcome.observation }], ending: outcome.terminated ? "terminated" : undefined };
  };
  const standing: Standing<T, S>[] = [];
  const specs: EpisodeSpec<T, S>[] = [];
  for (const { edge, rng } of edges) {
    const now = await stepped(edge, rng);
    if (pace.due()) await pace.rest();
    standing.push(now);
    if (now.ending !== undefined) continue;
    const { first, wording } = edge.node;
    specs.push({
      environment, harness, task: now.task, groupId: "truth", budget, rng: rng.fork("episode"), policyVersion: 0, constrained, varyWording: false,
      from: { first, seen: now.seen, state: now.state }, wording,
    });
  }
  const played = await rollouts(specs, policy, { greedy: false, concurrency: CONCURRENCY, onRound: () => pace.rest() });
  const results: (boolean | undefined)[] = [];
  let next = 0;
  for (const { task, state, seen, ending } of standing) {
    const rollout = ending === undefined ? played[next++] : undefined;
    const final = rollout === undefined ? state : rollout.finalState;
    if (final === undefined || rollout?.error !== undefined) results.push(undefined);
    else {
      const judged = environment.verdict(task, final, rollout?.seen ?? seen, ending ?? rollout?.trajectory.ending ?? "failed");
      results.push((judged instanceof Promise ? await judged : judged).success);
    }
  }
  return results;
}
