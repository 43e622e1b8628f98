import type { Task } from "#core/environment.ts";
import type { Choice } from "./choices.ts";
import { backUp, type Node, type Pair, type Tree } from "./tree.ts";

/** V of a history and Q of the actions taken there are wanted; the history is a mean over nodes, one for each sampled world. */
export interface Wish<T, S> {
  readonly parts: readonly { readonly node: Node<T, S>; readonly share: number }[];
  /** Texts of the actions. */
  readonly taken: ReadonlySet<string>;
}

export interface Bounds {
  /** Expansion ends once no more than this is unexplored of any wish. */
  readonly maxMass: number;
  /** Most nodes that the policy is asked about. */
  readonly maxNodes: number;
}

/** Pairs are expanded down to a reach probability that falls by this factor from pass to pass. */
const FALL = 2;
const LEAST_REACH = 1e-9;

export const takenPairs = <T, S>({ pairs }: Node<T, S>, taken: ReadonlySet<string>): readonly Pair<T, S>[] =>
  pairs.filter(({ choice }) => taken.has(choice.written.text));

/** The largest unexplored mass among V and the wanted Q; an action that was not looked into is not explored at all. */
export function unexploredOf<T, S>({ parts, taken }: Wish<T, S>): number {
  let most = parts.reduce((sum, { node, share }) => sum + share * node.unexplored, 0);
  for (const text of taken) {
    const pairOf = ({ pairs }: Node<T, S>): Pair<T, S> | undefined => pairs.find(({ choice }) => choice.written.text === text);
    most = Math.max(most, parts.reduce((sum, { node, share }) => sum + share * (pairOf(node)?.unexplored ?? 1), 0));
  }
  return most;
}

/** Where wishes start, and how much each counts there. */
type Starts<T, S> = ReadonlyMap<Node<T, S>, { readonly share: number; readonly taken: ReadonlySet<string> }>;

function startsOf<T, S>(wishes: readonly Wish<T, S>[]): Starts<T, S> {
  const starts = new Map<Node<T, S>, { share: number; taken: Set<string> }>();
  for (const { parts, taken } of wishes) {
    for (const { node, share } of parts) {
      const start = starts.get(node) ?? { share: 0, taken: new Set<string>() };
      start.share = Math.max(start.share, share);
      for (const text of taken) start.taken.add(text);
      starts.set(node, start);
    }
  }
  return starts;
}

type Start = { readonly share: number; readonly taken: ReadonlySet<string> } | undefined;

/** A history counts by its reach probability from where it is wanted, and so do its actions, except that those wanted count in full. */
const weightOf = ({ weight }: { readonly weight: number }, { probability, written }: Choice, start: Start): number =>
  start?.taken.has(written.text) === true ? Math.max(weight * probability, start.share) : weight * probability;

const atLeast = <T, S>(node: Node<T, S>, start: Start): void => {
  if (start) node.weight = Math.max(node.weight, start.share);
};

function weigh<T, S>(layers: readonly (readonly Node<T, S>[])[], starts: Starts<T, S>): void {
  for (const layer of layers) for (const node of layer) node.weight = 0;
  for (const layer of layers) {
    for (const node of layer) {
      const start = starts.get(node);
      atLeast(node, start);
      if (node.weight === 0) continue;
      for (const { choice, children } of node.pairs) {
        const weight = weightOf(node, choice, start);
        for (const child of children) child.node.weight += weight * child.probability;
      }
    }
  }
}

/**
 * Expands pairs in order of their reach probability, those of a turn together so that the policy is asked in batches, until every
 * wish has been explored or the nodes are used up. Leaves all values worked out.
 */
export async function expand<T extends Task, S>(tree: Tree<T, S>, wishes: readonly Wish<T, S>[], { maxMass, maxNodes }: Bounds): Promise<void> {
  if (wishes.length === 0) return;
  const limit = tree.asked + maxNodes;
  const most = Math.max(...wishes.flatMap(({ parts }) => parts.map(({ share }) => share)));
  for (let reach = most / FALL; ; reach /= FALL) {
    backUp(tree.layers);
    const open = wishes.filter((wish) => unexploredOf(wish) > maxMass);
    if (open.length === 0 || tree.asked >= limit || reach < LEAST_REACH) return;
    const starts = startsOf(open);
    weigh(tree.layers, starts);
    for (const layer of tree.layers) {
      const unasked = layer.filter(({ choices, weight }) => choices === undefined && weight >= reach).toSorted((a, b) => b.weight - a.weight);
      await tree.ask(unasked.slice(0, Math.max(0, limit - tree.asked)));
      for (const node of layer) {
        const start = starts.get(node);
        if (node.weight < reach && !start) continue;
        for (const choice of node.choices?.list ?? []) {
          const weight = weightOf(node, choice, start);
          if (weight >= reach) await tree.expand(node, choice, weight);
          else if (!start) break;
        }
      }
    }
  }
}
