import type { Environment, Task } from "#core/environment.ts";
import type { Budget, Wording } from "#core/harness.ts";
import type { Observation, SeenStep } from "#core/trajectory.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import { observationText, type Answer, type Belief, type BeliefStore, type Worlds } from "./belief.ts";
import { appended, contextOf, type Choice, type Choices, type ChoiceTable, type Context, type Written } from "./choices.ts";

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
  /** What the policy may do; undefined until it was asked. */
  choices: Choices | undefined;
  /** With the actions that were looked into. */
  readonly pairs: Pair<T, S>[];
  /** How much it counts for what is wanted: its reach probability from there. */
  weight: number;
}

/** A history and an action that was looked into. */
export interface Pair<T, S> extends Value {
  readonly choice: Choice;
  /** Share of outcomes that end the episode, and of them the successful (both of 1). */
  readonly ended: number;
  readonly won: number;
  /** The histories that follow, each with the text of the observation that leads there. */
  readonly children: readonly { readonly probability: number; readonly node: Node<T, S>; readonly text: string }[];
}

const notExplored = (): Value => ({ estimate: Number.NaN, low: 0, unexplored: 1 });

/**
 * Histories and what can become of them, for all trajectories of a group: nodes with equal context, belief and turns left are one;
 * its steps are those of its first finder.
 */
export class Tree<T extends Task, S> {
  /** By turn. */
  readonly layers: Node<T, S>[][];
  readonly beliefs: BeliefStore<T, S>;
  readonly #scene: TruthScene<T, S>;
  readonly #table: ChoiceTable;
  readonly #nodes = new Map<string, Node<T, S>>();
  #asked = 0;

  constructor(scene: TruthScene<T, S>, table: ChoiceTable, beliefs: BeliefStore<T, S>) {
    this.#scene = scene;
    this.#table = table;
    this.beliefs = beliefs;
    this.layers = Array.from({ length: scene.budget.turns + 1 }, () => []);
  }

  /** Nodes whose actions are known. */
  get asked(): number {
    return this.#asked;
  }

  /** A history to start from. */
  root(first: Observation, seen: readonly SeenStep[], wording: Wording, worlds: Worlds<T, S>): Node<T, S> {
    const context = contextOf(this.#scene.harness.context(first, seen, wording).tokens);
    const malformed = seen.filter(({ action }) => action.kind === "malformed").length;
    return this.#node({ context, belief: this.beliefs.keep(worlds), first, seen, wording, malformed });
  }

  async ask(nodes: readonly Node<T, S>[]): Promise<void> {
    const fresh = nodes.filter(({ choices }) => choices === undefined);
    await this.#table.ask(fresh.map(({ context }) => context));
    for (const node of fresh) {
      if (node.choices === undefined) this.#asked += 1;
      node.choices = this.#table.at(node.context);
    }
  }

  /** Looks into an action: what the environment may answer. New nodes are not asked yet, and weigh what this action weighs. */
  async expand(node: Node<T, S>, choice: Choice, weight: number): Promise<Pair<T, S>> {
    const { written } = choice;
    const known = node.pairs.find((pair) => pair.choice === choice);
    if (known) return known;
    const answers: readonly Answer<T, S>[] = written.action.kind === "malformed"
      ? [{ ...answerWith(this.#scene.harness.malformed(written.action)), belief: node.belief }]
      : await this.beliefs.answers(node.belief, written);
    let [ended, won] = [0, 0];
    const children: { probability: number; node: Node<T, S>; text: string }[] = [];
    for (const { probability, terminated, observation, belief, text } of answers) {
      const seen = [...node.seen, { action: written.action, observation }];
      const child = terminated ? undefined : this.#child(node, written, observation, seen, belief);
      if (child) {
        child.weight += weight * probability;
        children.push({ probability, node: child, text });
      } else {
        ended += probability;
        won += probability * await this.beliefs.share(belief, seen, terminated ? "terminated" : "truncated");
      }
    }
    const pair: Pair<T, S> = { choice, ended, won, children, ...notExplored() };
    node.pairs.push(pair);
    return pair;
  }

  /** Undefined where the budget is used up: the episode is truncated. */
  #child(node: Node<T, S>, written: Written, observation: Observation, seen: readonly SeenStep[], belief: Belief<T, S>): Node<T, S> | undefined {
    const { budget, harness } = this.#scene;
    const { first, wording } = node;
    const malformed = node.malformed + (written.action.kind === "malformed" ? 1 : 0);
    if (seen.length >= budget.turns || malformed > budget.retries) return undefined;
    const tokens = harness.wholeHistory ? extended(harness, node, written, observation) : harness.context(first, seen, wording).tokens;
    if (tokens.length + harness.longestAction > budget.tokens) return undefined;
    return this.#node({ context: contextOf(tokens), belief, first, seen, wording, malformed });
  }

  #node(found: Pick<Node<T, S>, "context" | "belief" | "first" | "seen" | "wording" | "malformed">): Node<T, S> {
    const key = `${found.seen.length} ${found.malformed} ${found.belief.number} ${found.context.text}`;
    const known = this.#nodes.get(key);
    if (known) return known;
    const node: Node<T, S> = { ...found, choices: undefined, pairs: [], weight: 0, ...notExplored() };
    this.#nodes.set(key, node);
    this.layers[found.seen.length]?.push(node);
    return node;
  }
}

/** The next context, written on from the one before it. */
function extended<T, S>(harness: LoopHarness, { context, wording }: Node<T, S>, { tokens: acted }: Written, observation: Observation): Uint32Array {
  const { tokens } = harness.observation(observation, wording, false);
  return appended(context.tokens, [...acted, ...tokens, harness.ask(wording)]);
}

const answerWith = (observation: Observation): Omit<Answer<never, never>, "belief"> =>
  ({ observation, text: observationText(observation), probability: 1, terminated: false });

/** Adds up the parts of a value; what no part stands for is not explored, and parts not known at all stay out of the estimate. */
class Sum {
  #sum: number;
  #mass: number;
  #low: number;
  #explored: number;

  constructor(won: number, ended: number) {
    [this.#sum, this.#mass, this.#low, this.#explored] = [won, ended, won, ended];
  }

  add(probability: number, { estimate, low, unexplored }: Value): void {
    this.#low += probability * low;
    this.#explored += probability * (1 - unexplored);
    if (Number.isNaN(estimate)) return;
    this.#sum += probability * estimate;
    this.#mass += probability;
  }

  into(value: Value): void {
    value.estimate = this.#mass > 0 ? this.#sum / this.#mass : Number.NaN;
    value.low = this.#low;
    value.unexplored = Math.max(0, 1 - this.#explored);
  }
}

/** Works out all values from the last turn back. */
export function backUp<T, S>(layers: readonly (readonly Node<T, S>[])[]): void {
  for (let turn = layers.length - 1; turn >= 0; turn -= 1) {
    for (const node of layers[turn] ?? []) {
      if (node.pairs.length === 0) continue;
      const whole = new Sum(0, 0);
      for (const pair of node.pairs) {
        const after = new Sum(pair.won, pair.ended);
        for (const { probability, node: child } of pair.children) after.add(probability, child);
        after.into(pair);
        whole.add(pair.choice.probability, pair);
      }
      whole.into(node);
    }
  }
}
