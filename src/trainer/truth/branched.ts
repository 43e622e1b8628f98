import type { Rng } from "#core/chance.ts";
import type { Task } from "#core/environment.ts";
import type { PolicyBackend } from "#core/policy.ts";
import { ROUNDING, skillBounds, valueBounds, type ActionAnswer, type Answer } from "./answer.ts";
import { drawEdge, optionsOf, playOn, type Edge, type Option } from "./branch.ts";
import type { Wish } from "./expand.ts";
import { halfWidthOfMean } from "./interval.ts";
import type { Pace } from "./pace.ts";
import type { Node, TruthScene, Value } from "./tree.ts";

/** What is to be answered by playing on. */
export interface Branching<T, S> {
  /** A node for each drawn world, or the one node of all worlds as often as it is to be played on from. */
  readonly wish: Wish<T, S>;
  readonly allWorlds: boolean;
  readonly rng: Rng;
}

/** Less unexplored mass than this is not worth playing on from: it widens the interval instead. */
const LEAST_MASS = 1e-3;

/** An action taken, or all others together. */
interface Part<T, S> extends Readonly<Value> {
  readonly text: string | undefined;
  readonly options: readonly Option<T, S>[];
  readonly probability: number;
}

/** The mean over some options; an action of probability 0, all alone, counts in full. */
function partOf<T, S>(text: string | undefined, options: readonly Option<T, S>[]): Part<T, S> {
  const probability = options.reduce((sum, option) => sum + option.probability, 0);
  let [low, unexplored, sum, known] = [0, 0, 0, 0];
  for (const { probability: mass, estimate, low: least, unexplored: open } of options) {
    const share = probability > 0 ? mass / probability : 1 / options.length;
    low += share * least;
    unexplored += share * open;
    if (Number.isNaN(estimate)) continue;
    sum += share * estimate;
    known += share;
  }
  return { text, options, probability, low, unexplored, estimate: known > 0 ? sum / known : 0.5 };
}

function partsOf<T, S>(node: Node<T, S>, taken: ReadonlySet<string>): readonly Part<T, S>[] {
  const options = optionsOf(node);
  const isTaken = ({ choice }: Option<T, S>): boolean => choice !== undefined && taken.has(choice.written.text);
  const single = options.filter(isTaken).map((option) => partOf(option.choice?.written.text, [option]));
  const others = partOf(undefined, options.filter((option) => !isTaken(option)));
  return others.probability > 0 ? [...single, others] : single;
}

/** The parts of one draw, with the value that playing on gave each. */
type Draw<T, S> = readonly { readonly part: Part<T, S>; readonly value: number; /** Mass that nothing is known of. */ readonly open: number }[];

const valueOfDraw = <T, S>(draw: Draw<T, S>): number => draw.reduce((sum, { part: { probability }, value }) => sum + probability * value, 0);

/** One action over all draws. */
interface Series {
  readonly probability: number;
  readonly values: number[];
  readonly skills: number[];
  open: number;
  least: number;
  most: number;
}

function answerOf<T, S>({ parts }: Wish<T, S>, draws: readonly Draw<T, S>[], allWorlds: boolean): Answer {
  const shares = parts.map(({ share }) => share);
  const average = (of: readonly number[]): number => of.reduce((sum, value, index) => sum + (shares[index] ?? 0) * value, 0);
  const series = new Map<string, Series>();
  const values: number[] = [];
  let open = 0;
  for (const [index, draw] of draws.entries()) {
    const node = parts[index]?.node as Node<T, S>;
    const value = valueOfDraw(draw);
    values.push(value);
    for (const { part, value: ofPart, open: left } of draw) {
      const { text, probability } = part;
      open += (shares[index] ?? 0) * probability * left;
      if (text === undefined) continue;
      // However little is known: no action is better or worse than the mean by more than the others' probability.
      const [least, most] = allWorlds ? skillBounds(node, part, probability) : [probability - 1, 1 - probability];
      const known = series.get(text) ?? { probability, values: [], skills: [], open: 0, least, most };
      known.values.push(ofPart);
      known.skills.push(ofPart - value);
      known.open += (shares[index] ?? 0) * left;
      series.set(text, known);
    }
  }
  const actions = new Map([...series].map(([text, { probability, values: ofAction, skills, open: left, least, most }]): [string, ActionAnswer] => {
    const skill = average(skills);
    const drawn = halfWidthOfMean(skills, shares, least, most) + open + left;
    return [text, { probability, value: average(ofAction), halfWidth: Math.min(drawn, Math.max(skill - least, most - skill)) + ROUNDING }];
  }));
  const [least, most] = allWorlds ? valueBounds(parts[0]?.node as Node<T, S>) : [0, 1];
  const value = average(values);
  const halfWidth = Math.min(halfWidthOfMean(values, shares, least, most) + open, Math.max(value - least, most - value)) + ROUNDING;
  return { kind: "branched", worlds: shares.length, value, halfWidth, unexplored: open, actions };
}

/**
 * What was not expanded of a node is played on from, once for every action taken and once for the others, so that each draw gives an
 * unbiased value to every action; the interval is that of the mean over draws, in which all actions meet the same worlds.
 */
export async function branchedAnswers<T extends Task, S>(
  scene: TruthScene<T, S>, policy: Pick<PolicyBackend, "sample">, asked: readonly Branching<T, S>[], pace: Pace,
): Promise<readonly Answer[]> {
  const edges: { edge: Edge<T, S>; rng: Rng }[] = [];
  const planned = asked.map(({ wish: { parts, taken }, rng }) => {
    const known = new Map<Node<T, S>, readonly Part<T, S>[]>();
    return parts.map(({ node }, draw) => {
      const ofNode = known.get(node) ?? partsOf(node, taken);
      known.set(node, ofNode);
      return ofNode.map((part, index) => {
        if (part.unexplored * (part.text === undefined ? part.probability : 1) < LEAST_MASS) return { part, place: -1 };
        const stream = rng.fork(`draw/${draw}/part/${index}`);
        return { part, place: edges.push({ edge: drawEdge(node, part.options, stream.fork("edge")), rng: stream }) - 1 };
      });
    });
  });
  const outcomes = await playOn(scene, policy, edges, pace);
  return asked.map(({ wish, allWorlds }, question) => {
    const draws = (planned[question] ?? []).map((parts) => parts.map(({ part, place }) => {
      const won = outcomes[place];
      return won === undefined
        ? { part, value: part.estimate, open: part.unexplored }
        : { part, value: part.low + (won ? part.unexplored : 0), open: 0 };
    }));
    return answerOf(wish, draws, allWorlds);
  });
}
