import type { Wording } from "#core/harness.ts";
import type { Observation, SeenStep } from "#core/trajectory.ts";
import type { Worlds } from "./belief.ts";
import { takenPairs } from "./expand.ts";
import type { Node, Value } from "./tree.ts";

/** A history at which some trajectories of a group stood, and what they did there. */
export interface Question<T, S> {
  /** Equal for equal histories. */
  readonly key: string;
  readonly first: Observation;
  readonly seen: readonly SeenStep[];
  readonly wording: Wording;
  /** Texts of the actions taken. */
  readonly taken: Set<string>;
  /** Where all worlds are known. */
  readonly node: Node<T, S> | undefined;
  /** Worlds drawn where they are not. */
  readonly drawn: Worlds<T, S> | undefined;
}

export interface ActionAnswer {
  readonly probability: number;
  /** Q(h, a) */
  readonly value: number;
  /** Of skill, Q(h, a) − V(h). */
  readonly halfWidth: number;
}

export interface Answer {
  readonly kind: "exact" | "branched";
  /** Worlds it rests on: all, or how many were drawn. */
  readonly worlds: number;
  /** V(h) */
  readonly value: number;
  /** Of V(h). */
  readonly halfWidth: number;
  /** The largest mass among V and the wanted Q that was neither expanded nor played on from. */
  readonly unexplored: number;
  /** By text of the action. */
  readonly actions: ReadonlyMap<string, ActionAnswer>;
}

/** Probabilities come in single precision. */
export const ROUNDING = 1e-6;

/** The farther end of an interval, from a point within it. */
const reachOf = (point: number, [low, high]: readonly [number, number]): number => Math.max(point - low, high - point) + ROUNDING;

/** Between which V lies, what is not explored being between 0 and 1. */
export const valueBounds = ({ low, unexplored }: Readonly<Value>): readonly [number, number] => [low, low + unexplored];

/** The same for the skill Q − V of an action: its own part of V goes with it. */
export const skillBounds = (node: Readonly<Value>, { low, unexplored }: Readonly<Value>, probability: number): readonly [number, number] => [
  low - node.low - node.unexplored + probability * unexplored,
  low + unexplored - node.low - probability * unexplored,
];

/** From an expanded node that holds all worlds. */
export function exactAnswer<T, S>(node: Node<T, S>, taken: ReadonlySet<string>): Answer {
  const actions = new Map<string, ActionAnswer>();
  let { unexplored } = node;
  for (const pair of takenPairs(node, taken)) {
    const { choice: { probability, written }, estimate } = pair;
    const halfWidth = reachOf(estimate - node.estimate, skillBounds(node, pair, probability));
    actions.set(written.text, { probability, value: estimate, halfWidth });
    unexplored = Math.max(unexplored, pair.unexplored);
  }
  const { belief, estimate } = node;
  return { kind: "exact", worlds: belief.states.length, value: estimate, halfWidth: reachOf(estimate, valueBounds(node)), unexplored, actions };
}
