import type { Environment, Task } from "#core/environment.ts";
import type { Budget, Wording } from "#core/harness.ts";
import type { Ending, Observation, SeenStep } from "#core/trajectory.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import { answersTo, beliefText, observationText, type Answer, type Belief } from "./belief.ts";
import { appended, contextOf, type ChoiceTable, type Choice, type Context } from "./choices.ts";
import type { Pace } from "./pace.ts";

/** What truth needs of an arena. */
export interface TruthScene<T extends Task, S> {
  readonly environment: Pick<Environment<never, T, S>, "outcomes" | "verdict" | "reset" | "anchorKey">;
  readonly harness: LoopHarness;
  readonly budget: Budget;
  readonly constrained: boolean;
}

/** V or Q of what was expanded, and how much was not. */
export interface Value {
  /** Mean outcome of what was expanded, as if the rest were like it; NaN where nothing was. */
  estimate: number;
  /** What success is certain of: the truth lies between `low` and `low + unexplored`. */
  low: number;
  unexplored: number;
}

/** A history: what the policy saw, and what may be behind it. */
export interface Node<T, S> extends Value {
  readonly context: Context;
  readonly belief: Belief<T, S>;
  readonly first: Observation;
  readonly seen: readonly SeenStep[];
  readonly wording: Wording;
  /** Malformed actions so far. */
  readonly malformed: number;
  /** Nodes of different scopes are never one. */
  readonly scope: string;
  /** Undefined until the policy was asked. */
  pairs: readonly Pair<T, S>[] | undefined;
  /** Mass of the actions that have no pair. */
  rest: number;
  /** How much it counts for what is wanted: its reach probability from there. */
  weight: number;
}

/** A history and an action. */
export interface Pair<T, S> extends Value {
  readonly choice: Choice;
  /** Undefined until it was expanded. */
  after: After<T, S> | undefined;
  weight: number;
}

interface After<T, S> {
  /** Share of outcomes that end the episode, and of them the successful (both of 1). */
  readonly ended: number;
  readonly won: number;
  readonly children: readonly { readonly probability: number; readonly node: Node<T, S>; readonly text: string }[];
}

const unknown = (): Value => ({ estimate: Number.NaN, low: 0, unexplored: 1 });

/**
 * Histories and what can become of them, for all trajectories of a group: nodes with equal context, belief and turns left are one.
 * Success must follow from the task, the final state and the ending: the steps that led to a shared node are those of its first finder.
 */
export class Tree<T extends Task, S> {
  /** By turn. */
  readonly layers: Node<T, S>[][];
  readonly #scene: TruthScene<T, S>;
  readonly #table: ChoiceTable;
  readonly #pace: Pace;
  readonly #nodes = new Map<string, { readonly node: Node<T, S>; text: string | undefined }[]>();
  #asked = 0;

  constructor(scene: TruthScene<T, S>, table: ChoiceTable, pace: Pace) {
    this.#scene = scene;
    this.#table = table;
    this.#pace = pace;
    this.layers = Array.from({ length: scene.budget.turns + 1 }, () => []);
  }

  /** Nodes whose actions are known. */
  get asked(): number {
    return this.#asked;
  }

  /** A history to start from. */
  root(scope: string, first: Observation, seen: readonly SeenStep[], wording: Wording, belief: Belief<T, S>): Node<T, S> {
    const context = contextOf(this.#scene.harness.context(first, seen, wording).tokens);
    const malformed = seen.filter(({ action }) => action.kind === "malformed").length;
    return this.#node({ scope, context, belief, first, seen, wording, malformed });
  }

  async ask(nodes: readonly Node<T, S>[]): Promise<void> {
    const fresh = nodes.filter(({ pairs }) => pairs === undefined);
    await this.#table.ask(fresh.map(({ context }) => context));
    for (const node of fresh) {
      if (node.pairs !== undefined) continue;
      const { list, rest } = this.#table.at(node.context);
      node.pairs = list.map((choice) => ({ choice, after: undefined, weight: node.weight * choice.probability, ...unknown() }));
      node.rest = rest;
      this.#asked += 1;
    }
  }

  /** What the environment may answer; new nodes are not asked yet. */
  async expand(node: Node<T, S>, pair: Pair<T, S>): Promise<void> {
    if (pair.after !== undefined) return;
    const { action } = pair.choice.written;
    const { environment, harness } = this.#scene;
    const answers: readonly Answer<T, S>[] = action.kind === "malformed"
      ? [{ ...answered(harness.malformed(action)), probability: 1, terminated: false, belief: node.belief }]
      : await answersTo(environment, node.belief, action, this.#pace);
    let [ended, won] = [0, 0];
    const children: { probability: number; node: Node<T, S>; text: string }[] = [];
    for (const answer of answers) {
      const child = answer.terminated ? undefined : this.#child(node, pair, answer);
      if (child) {
        child.weight += pair.weight * answer.probability;
        children.push({ probability: answer.probability, node: child, text: answer.text });
        continue;
      }
      const seen = [...node.seen, { action, observation: answer.observation }];
      ended += answer.probability;
      won += answer.probability * await this.#share(answer.belief, seen, answer.terminated ? "terminated" : "truncated");
    }
    pair.after = { ended, won, children };
  }

  /** Undefined where the budget is used up: the episode is truncated. */
  #child(node: Node<T, S>, { choice: { written } }: Pair<T, S>, { observation, belief }: Answer<T, S>): Node<T, S> | undefined {
    const { budget, harness } = this.#scene;
    const { context: { tokens: before }, first, wording, scope } = node;
    const malformed = node.malformed + (written.action.kind === "malformed" ? 1 : 0);
    const { tokens } = harness.observation(observation, wording, false);
    const length = before.length + written.tokens.length + tokens.length + 1;
    if (node.seen.length + 1 >= budget.turns || malformed > budget.retries || length + harness.longestAction > budget.tokens) return undefined;
    const context = contextOf(appended(before, [...written.tokens, ...tokens, harness.ask(wording)]));
    const seen = [...node.seen, { action: written.action, observation }];
    return this.#node({ scope, context, belief, first, seen, wording, malformed });
  }

  async #share({ tasks, states, weights }: Belief<T, S>, seen: readonly SeenStep[], ending: Ending): Promise<number> {
    let share = 0;
    for (const [world, task] of tasks.entries()) {
      const judged = this.#scene.environment.verdict(task, states[world] as S, seen, ending);
      const { success } = judged instanceof Promise ? await judged : judged;
      if (success) share += weights[world] ?? 0;
      if (this.#pace.due()) await this.#pace.rest();
    }
    return share;
  }

  #node(found: Pick<Node<T, S>, "scope" | "context" | "belief" | "first" | "seen" | "wording" | "malformed">): Node<T, S> {
    const key = `${found.seen.length} ${found.malformed} ${found.scope} ${found.context.text}`;
    const equals = this.#nodes.get(key) ?? [];
    if (equals.length > 0) {
      const text = beliefText(found.belief);
      for (const equal of equals) {
        equal.text ??= beliefText(equal.node.belief);
        if (equal.text === text) return equal.node;
      }
    } else this.#nodes.set(key, equals);
    const node: Node<T, S> = { ...found, pairs: undefined, rest: 0, weight: 0, ...unknown() };
    equals.push({ node, text: undefined });
    this.layers[found.seen.length]?.push(node);
    return node;
  }
}

const answered = (observation: Observation): { readonly observation: Observation; readonly text: string } => ({ observation, text: observationText(observation) });

/** Works out all values from the last turn back. */
export function backUp<T, S>(layers: readonly (readonly Node<T, S>[])[]): void {
  for (let turn = layers.length - 1; turn >= 0; turn -= 1) {
    for (const node of layers[turn] ?? []) {
      if (node.pairs === undefined) continue;
      for (const pair of node.pairs) {
        if (!pair.after) continue;
        const { ended, won, children } = pair.after;
        settle(pair, won, ended, children.map(({ probability, node: child }) => [probability, child]), 0);
      }
      settle(node, 0, 0, node.pairs.map((pair) => [pair.choice.probability, pair]), node.rest);
    }
  }
}

/** A value is the mean of its parts; parts that are not known at all are left out of the estimate. */
function settle(value: Value, won: number, ended: number, parts: readonly (readonly [number, Value])[], rest: number): void {
  let [sum, mass, low, unexplored] = [won, ended, won, rest];
  for (const [probability, { estimate, low: least, unexplored: open }] of parts) {
    low += probability * least;
    unexplored += probability * open;
    if (Number.isNaN(estimate)) continue;
    sum += probability * estimate;
    mass += probability;
  }
  value.estimate = mass > 0 ? sum / mass : Number.NaN;
  value.low = low;
  value.unexplored = unexplored;
}
