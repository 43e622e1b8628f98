import type { Environment, Task } from "#core/environment.ts";
import { canonical } from "#core/json.ts";
import type { Action, Ending, Json, Observation } from "#core/trajectory.ts";
import type { Written } from "./choices.ts";
import type { Pace } from "./pace.ts";

/** What may be behind a history: [worlds] each; weights sum to 1. */
export interface Worlds<T, S> {
  readonly tasks: readonly T[];
  readonly states: readonly S[];
  readonly weights: readonly number[];
}

/** Worlds kept by a `BeliefStore`: equal ones are one, and have one number. */
export interface Belief<T, S> extends Worlds<T, S> {
  readonly number: number;
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

interface Known<T, S> {
  readonly answers: Map<string, readonly Answer<T, S>[]>;
  readonly shares: Map<Ending, number>;
}

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
 * Beliefs and how they change. Many histories leave the same belief (a look-up made twice, an order that does not exist): the
 * environment is asked once about each belief and action, and judges each belief once, since success follows from task, final state
 * and ending.
 */
export class BeliefStore<T extends Task, S> {
  readonly #environment: Pick<Environment<never, T, S>, "outcomes" | "verdict">;
  readonly #pace: Pace;
  readonly #byShape = new Map<string, Belief<T, S>[]>();
  readonly #known: Known<T, S>[] = [];

  constructor(environment: Pick<Environment<never, T, S>, "outcomes" | "verdict">, pace: Pace) {
    this.#environment = environment;
    this.#pace = pace;
  }

  /** The belief that holds these worlds. */
  keep(worlds: Worlds<T, S>): Belief<T, S> {
    const { tasks, weights } = worlds;
    const shape = `${tasks.length} ${weights[0]?.toFixed(8) ?? ""} ${tasks[0]?.id ?? ""} ${tasks.at(-1)?.id ?? ""}`;
    const alike = this.#byShape.get(shape) ?? [];
    const same = alike.find((other) => sameWorlds(worlds, other));
    if (same) return same;
    const belief = { ...worlds, number: this.#known.push({ answers: new Map(), shares: new Map() }) - 1 };
    this.#byShape.set(shape, [...alike, belief]);
    return belief;
  }

  certain(task: T, state: S): Belief<T, S> {
    return this.keep({ tasks: [task], states: [state], weights: [1] });
  }

  /** What a tool call, or a reply, may be answered with. */
  async answers(belief: Belief<T, S>, { text, action }: Written): Promise<readonly Answer<T, S>[]> {
    const known = this.#known[belief.number] as Known<T, S>;
    let answers = known.answers.get(text);
    if (!answers) {
      answers = (await this.#gathered(belief, action)).map(({ tasks, states, weights, probability, ...answer }) => ({
        ...answer, probability, belief: this.keep({ tasks, states, weights: weights.map((weight) => weight / probability) }),
      }));
      known.answers.set(text, answers);
    }
    return answers;
  }

  /** Probability of success if the episode ends here. */
  async share({ number, tasks, states, weights }: Belief<T, S>, seen: Parameters<Environment<never, T, S>["verdict"]>[2], ending: Ending): Promise<number> {
    const known = this.#known[number] as Known<T, S>;
    let share = known.shares.get(ending);
    if (share !== undefined) return share;
    share = 0;
    for (let world = 0; world < tasks.length; world += 1) {
      const judged = this.#environment.verdict(tasks[world] as T, states[world] as S, seen, ending);
      const { success } = judged instanceof Promise ? await judged : judged;
      if (success) share += weights[world] ?? 0;
      if (this.#pace.due()) await this.#pace.rest();
    }
    known.shares.set(ending, share);
    return share;
  }

  /**
   * The outcomes of all worlds grouped by observation, in the order in which they first occur. Worlds that end the episode are apart
   * from those that do not: the policy learns of an ending.
   */
  async #gathered({ tasks, states, weights }: Worlds<T, S>, action: Action): Promise<readonly Gathered<T, S>[]> {
    const groups: Gathered<T, S>[] = [];
    const byText = new Map<string, Gathered<T, S>>();
    for (let world = 0; world < tasks.length; world += 1) {
      const listed = this.#environment.outcomes(states[world] as S, action);
      for (const { probability, state, observation, terminated } of listed instanceof Promise ? await listed : listed) {
        if (probability <= 0) continue;
        const group = groupOf(groups, byText, observation, terminated);
        const mass = (weights[world] ?? 0) * probability;
        group.tasks.push(tasks[world] as T);
        group.states.push(state);
        group.weights.push(mass);
        group.probability += mass;
      }
      if (this.#pace.due()) await this.#pace.rest();
    }
    return groups;
  }
}

/** Groups that are looked through before a text is made of an observation: most actions are answered in few ways. */
const FEW = 12;

function groupOf<T, S>(groups: Gathered<T, S>[], byText: Map<string, Gathered<T, S>>, observation: Observation, terminated: boolean): Gathered<T, S> {
  for (let index = 0; index < groups.length && index < FEW; index += 1) {
    const group = groups[index] as Gathered<T, S>;
    if (group.terminated === terminated && group.observation.kind === observation.kind && sameJson(group.observation.content, observation.content)) return group;
  }
  const text = observationText(observation);
  const key = terminated ? `end ${text}` : text;
  let group = byText.get(key);
  if (!group) {
    group = { observation, text, terminated, tasks: [], states: [], weights: [], probability: 0 };
    byText.set(key, group);
    groups.push(group);
  }
  return group;
}

function sameWorlds<T extends Task, S>(a: Worlds<T, S>, b: Worlds<T, S>): boolean {
  for (let world = 0; world < a.tasks.length; world += 1) {
    if (a.tasks[world] !== b.tasks[world] && a.tasks[world]?.id !== b.tasks[world]?.id) return false;
    if (Math.abs((a.weights[world] ?? 0) - (b.weights[world] ?? 0)) > 1e-9) return false;
    if (!sameJson(a.states[world] as Json, b.states[world] as Json)) return false;
  }
  return true;
}

/** Equal structures; parts that are one object are equal at once, which most parts of two states of a world are. */
function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as { readonly [key: string]: Json }, b as { readonly [key: string]: Json }];
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => key in right && sameJson(left[key] as Json, right[key] as Json));
}
