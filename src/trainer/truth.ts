import { truthSplit } from "#algorithms/credit/truth.ts";
import type { Rng } from "#core/chance.ts";
import type { TruthTurns } from "#core/credit.ts";
import type { Task } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import type { Wording } from "#core/harness.ts";
import { canonical } from "#core/json.ts";
import type { PolicyBackend } from "#core/policy.ts";
import type { Json, SeenStep, Trajectory } from "#core/trajectory.ts";
import type { Arena } from "./arena.ts";
import type { Gate } from "./runtime.ts";
import { exactAnswer, type Answer, type Question } from "./truth/answer.ts";
import { BeliefStore, observationText, type Worlds } from "./truth/belief.ts";
import { branchedAnswers, type Branching } from "./truth/branched.ts";
import { ChoiceTable, tokensText } from "./truth/choices.ts";
import { expand, unexploredOf } from "./truth/expand.ts";
import { Pace } from "./truth/pace.ts";
import { Tree, type Node, type TruthScene } from "./truth/tree.ts";

export interface TruthMember {
  readonly trajectory: Trajectory;
  /** The strict verdict: what the parts of truth add up to. */
  readonly success: boolean;
  readonly wording: Wording;
  /** Steps seen before the first turn, in a rollout that went on from somewhere. */
  readonly before?: readonly SeenStep[];
}
export interface TruthGroup<T> {
  readonly task: T;
  readonly members: readonly TruthMember[];
}

export interface TruthOptions {
  /** Given the history the policy saw, or, as a second view that pays lucky guesses, given the hidden state. */
  readonly given: "history" | "state";
  /** Drawn where a history's worlds are not all known, or what could follow is too much to expand. */
  readonly worlds: number;
  /** Most nodes of the exact form, per group; 0 measures everything in the branched form. */
  readonly maxNodes: number;
  /** Unexplored mass below which a value is exact. */
  readonly maxMass: number;
  /** Mean unexplored mass of a drawn world from which on it is played to the end by sampling, and most nodes for that, per group. */
  readonly branchMass: number;
  readonly branchNodes: number;
  readonly rng: Rng;
  readonly gate: Gate;
}

export type TruthForm = Pick<TruthOptions, "worlds" | "maxNodes" | "maxMass" | "branchMass" | "branchNodes">;

/** As exact as patience allows: what a person looks at while a run is paused. */
export const FULL_TRUTH: TruthForm = { worlds: 64, maxNodes: 4000, maxMass: 0.02, branchMass: 0.3, branchNodes: 4000 };
/** K = 4 worlds and little expanded: for what is measured, or trained on, while a run goes on. */
export const QUICK_TRUTH: TruthForm = { worlds: 4, maxNodes: 0, maxMass: 0.02, branchMass: 0.5, branchNodes: 100 };

/** How a turn's truth came about. */
export interface TurnLabel {
  readonly kind: "exact" | "branched";
  /** Of skill. */
  readonly halfWidth: number;
  /** Worlds it rests on: all where exact. */
  readonly worlds: number;
  /** V(h), Q(h, a) and π(a|h). */
  readonly value: number;
  readonly actionValue: number;
  readonly probability: number;
  /** The largest unexplored mass of V and Q: the m of "exact ±m". */
  readonly unexplored: number;
}
export interface MemberTruth {
  readonly turns: TruthTurns;
  readonly labels: readonly TurnLabel[];
  /** Of the start value. */
  readonly startHalfWidth: number;
}

type TruthArena<T extends Task, S> = Pick<Arena<T, S>, "environment" | "harness" | "budget" | "constrained" | "worlds">;
type Policy = Pick<PolicyBackend, "nextLogprobs" | "sample">;

/** More worlds than this are drawn from. */
const MOST_WORLDS = 20000;

const stepText = ({ action, observation }: SeenStep): string => `${canonical(action as unknown as Json)} ${observationText(observation)}`;

const stepsOf = ({ before = [], trajectory: { turns } }: TruthMember): readonly SeenStep[] =>
  [...before, ...turns.map(({ action, observation }) => ({ action, observation }))];

/** `count` worlds evenly spaced along the summed weights: every world is drawn in proportion to its weight, with little scatter. */
function drawWorlds<T, S>({ tasks, states, weights }: Worlds<T, S>, count: number, rng: Rng): Worlds<T, S> {
  const offset = rng.next();
  const drawn: number[] = [];
  let sum = 0;
  for (const [world, weight] of weights.entries()) {
    sum += weight;
    while (drawn.length < count && (drawn.length + offset) / count < sum) drawn.push(world);
  }
  while (drawn.length < count) drawn.push(weights.length - 1);
  return { tasks: drawn.map((world) => tasks[world] as T), states: drawn.map((world) => states[world] as S), weights: drawn.map(() => 1 / count) };
}

/** The truth about one group. */
class Inquiry<T extends Task, S> {
  readonly #arena: TruthArena<T, S>;
  readonly #policy: Policy;
  readonly #group: TruthGroup<T>;
  readonly #options: TruthOptions;
  readonly #pace: Pace;
  readonly #tree: Tree<T, S>;
  readonly #scene: TruthScene<T, S>;
  readonly #questions = new Map<string, Question<T, S>>();
  /** Of each member, by turn; none for failed ones. */
  readonly #asked: readonly Question<T, S>[][];

  constructor(arena: TruthArena<T, S>, policy: Policy, group: TruthGroup<T>, options: TruthOptions) {
    this.#arena = arena;
    this.#policy = policy;
    this.#group = group;
    this.#options = options;
    this.#scene = arena;
    this.#pace = new Pace(options.gate);
    const { harness, constrained } = arena;
    const table = new ChoiceTable({ policy, harness, constrained, wanted: this.#wanted(), pace: this.#pace, rng: options.rng });
    this.#tree = new Tree(this.#scene, table, new BeliefStore(this.#scene.environment, this.#pace));
    this.#asked = group.members.map(() => []);
  }

  async answer(): Promise<readonly (MemberTruth | undefined)[]> {
    const turns = Math.max(0, ...this.#group.members.map(({ trajectory }) => trajectory.turns.length));
    for (let turn = 0; turn < turns; turn += 1) await this.#locate(turn);
    const answers = await this.#answers([...this.#questions.values()]);
    return this.#group.members.map((member, index) => {
      const asked = this.#asked[index] ?? [];
      return asked.length === 0 ? undefined : this.#memberTruth(member, asked.map(({ key }) => answers.get(key) as Answer));
    });
  }

  /** By text of each context a member stood at: what was done there. */
  #wanted(): ReadonlyMap<string, ReadonlySet<string>> {
    const { harness } = this.#arena;
    const wanted = new Map<string, Set<string>>();
    for (const member of this.#group.members) {
      const steps = stepsOf(member);
      for (let turn = member.before?.length ?? 0; turn < steps.length; turn += 1) {
        const { tokens } = harness.context(member.trajectory.first, steps.slice(0, turn), member.wording);
        const text = tokensText(tokens);
        const actions = wanted.get(text) ?? new Set();
        wanted.set(text, actions.add(this.#textOf(steps[turn] as SeenStep)));
      }
    }
    return wanted;
  }

  #textOf({ action }: SeenStep): string {
    return tokensText(this.#arena.harness.encode(action));
  }

  /** Finds out where the members stood at a turn; those that stood at the same history ask the same question. */
  async #locate(turn: number): Promise<void> {
    for (const [index, member] of this.#group.members.entries()) {
      const { trajectory, before = [], wording } = member;
      if (trajectory.ending === "failed" || turn >= trajectory.turns.length) continue;
      const steps = stepsOf(member);
      const seen = steps.slice(0, before.length + turn);
      const key = [String(wording.variant), observationText(trajectory.first), ...seen.map(stepText)].join("\n");
      let question = this.#questions.get(key);
      if (!question) {
        const { first } = trajectory;
        question = { key, first, seen, wording, taken: new Set(), ...await this.#worldsAt(key, member, seen, this.#asked[index]?.at(-1)) };
        this.#questions.set(key, question);
      }
      question.taken.add(this.#textOf(steps[before.length + turn] as SeenStep));
      this.#asked[index]?.push(question);
    }
    await this.#tree.ask([...this.#questions.values()].flatMap(({ node }) => node ?? []));
  }

  async #worldsAt(key: string, member: TruthMember, seen: readonly SeenStep[], previous: Question<T, S> | undefined): Promise<Pick<Question<T, S>, "node" | "drawn">> {
    const { trajectory: { first }, wording } = member;
    if (previous?.node) return { node: await this.#after(previous.node, seen.at(-1) as SeenStep), drawn: undefined };
    const { given, rng, worlds: limit } = this.#options;
    if (given === "state") return { node: this.#tree.root(first, seen, wording, await this.#ownBelief(seen)), drawn: undefined };
    await this.#pace.rest();
    const { worlds, exhaustive } = this.#arena.worlds(this.#group.task, first, seen, rng.fork(`worlds/${key}`), limit);
    const belief = { tasks: worlds.map(({ task }) => task), states: worlds.map(({ state }) => state), weights: worlds.map(({ probability }) => probability) };
    if (!exhaustive) return { node: undefined, drawn: belief };
    return worlds.length > MOST_WORLDS
      ? { node: undefined, drawn: drawWorlds(belief, limit, rng.fork(`draw/${key}`)) }
      : { node: this.#tree.root(first, seen, wording, belief), drawn: undefined };
  }

  /** @throws TaskError when the environment could not have answered so. */
  async #after(node: Node<T, S>, step: SeenStep): Promise<Node<T, S>> {
    const text = this.#textOf(step);
    const choice = node.choices?.list.find(({ written }) => written.text === text);
    const pair = choice && await this.#tree.expand(node, choice, 1);
    const observed = observationText(step.observation);
    const child = pair?.children.find((candidate) => candidate.text === observed);
    if (!child) throw new TaskError("no world that fits the history gives the observation that followed", { turn: node.seen.length });
    return child.node;
  }

  /** What may be behind the steps when the task is known. */
  async #ownBelief(seen: readonly SeenStep[]): Promise<Worlds<T, S>> {
    const { task } = this.#group;
    const { beliefs } = this.#tree;
    let belief = beliefs.certain(task, this.#arena.environment.reset(task).state);
    for (const { action, observation } of seen) {
      if (action.kind === "malformed") continue;
      const observed = observationText(observation);
      const tokens = this.#arena.harness.encode(action);
      const answers = await beliefs.answers(belief, { text: tokensText(tokens), tokens, action });
      const next = answers.find(({ text, terminated }) => text === observed && !terminated);
      if (!next) throw new TaskError("the task could not have given the observation that was seen", { task: task.id });
      belief = next.belief;
    }
    return belief;
  }

  async #answers(questions: readonly Question<T, S>[]): Promise<ReadonlyMap<string, Answer>> {
    const { maxMass, maxNodes, branchMass, branchNodes } = this.#options;
    const answers = new Map<string, Answer>();
    const known = questions.flatMap(({ key, node, taken }) => (node ? [{ key, node, wish: { parts: [{ node, share: 1 }], taken } }] : []));
    if (maxNodes > 0) await expand(this.#tree, known.map(({ wish }) => wish), { maxMass, maxNodes });
    for (const { key, node, wish } of known) if (unexploredOf(wish) < maxMass) answers.set(key, exactAnswer(node, wish.taken));
    const left = questions.filter(({ key }) => !answers.has(key));
    const branching = left.map((question) => this.#branching(question));
    await this.#tree.ask(branching.flatMap(({ wish: { parts } }) => parts.map(({ node }) => node)));
    const drawn = branching.filter(({ allWorlds }) => !allWorlds);
    await expand(this.#tree, drawn.map(({ wish }) => wish), { maxMass: branchMass, maxNodes: branchNodes });
    const branched = await branchedAnswers(this.#scene, this.#policy, branching, this.#pace);
    for (const [index, { key }] of left.entries()) answers.set(key, branched[index] as Answer);
    return answers;
  }

  #branching({ key, first, seen, wording, taken, node, drawn }: Question<T, S>): Branching<T, S> {
    const { rng, worlds: count } = this.#options;
    const stream = rng.fork(`branch/${key}`);
    if (node && isPlayedOnFrom(node)) {
      return { wish: { parts: Array.from({ length: count }, () => ({ node, share: 1 / count })), taken }, allWorlds: true, rng: stream };
    }
    const { tasks, states, weights } = drawn ?? drawWorlds((node as Node<T, S>).belief, count, stream.fork("worlds"));
    const parts = tasks.map((task, world) => ({
      node: this.#tree.root(first, seen, wording, { tasks: [task], states: [states[world] as S], weights: [1] }), share: weights[world] ?? 0,
    }));
    return { wish: { parts, taken }, allWorlds: false, rng: stream };
  }

  #memberTruth(member: TruthMember, answers: readonly Answer[]): MemberTruth {
    const { before = [], success } = member;
    const steps = stepsOf(member).slice(before.length);
    const labels = answers.map(({ kind, worlds, value, unexplored, actions }, turn): TurnLabel => {
      const action = actions.get(this.#textOf(steps[turn] as SeenStep));
      if (!action) throw new TaskError("an action of the trajectory cannot be written by the policy", { turn });
      return { kind, worlds, value, unexplored, halfWidth: action.halfWidth, actionValue: action.value, probability: action.probability };
    });
    const { start, skill, luck } = truthSplit(labels.map(({ value }) => value), labels.map(({ actionValue }) => actionValue), success ? 1 : 0);
    const halfWidth = Float32Array.from(labels, (label) => label.halfWidth);
    return { turns: { start, skill: Float32Array.from(skill), luck: Float32Array.from(luck), halfWidth }, labels, startHalfWidth: answers[0]?.halfWidth ?? 0 };
  }
}

/** Below this unexplored mass, playing on from what all worlds were expanded to is better than to draw worlds; of one there is nothing to draw. */
const MOSTLY = 0.3;
const isPlayedOnFrom = ({ belief, unexplored }: Node<unknown, unknown>): boolean => unexplored < MOSTLY || belief.states.length === 1;

/**
 * Skill and luck of every turn under the policy as it is now: start + Σ(skill + luck) = success, for every trajectory that did not
 * fail; undefined for those that did. Equal inputs and streams give equal numbers. The policy must not change meanwhile.
 * @throws what the gate throws; TaskError when a trajectory does not fit the environment.
 */
export async function measureTruth<T extends Task, S>(
  arena: TruthArena<T, S>, policy: Policy, groups: readonly TruthGroup<T>[], options: TruthOptions,
): Promise<readonly (readonly (MemberTruth | undefined)[])[]> {
  const results: (readonly (MemberTruth | undefined)[])[] = [];
  for (const [index, group] of groups.entries()) {
    results.push(await new Inquiry(arena, policy, group, { ...options, rng: options.rng.fork(`group/${index}`) }).answer());
  }
  return results;
}
