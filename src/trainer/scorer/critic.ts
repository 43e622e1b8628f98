import { valueLoss } from "#algorithms/objectives/value.ts";
import type { TokenSequence } from "#core/tokens.ts";
import type { Trajectory } from "#core/trajectory.ts";
import type { Critic, CriticScores, NetworkParts, Played } from "../scorer.ts";
import { secondNetwork, type Example, type Head, type NetworkSettings } from "./network.ts";
import { cutTo, EMPTY, placesOf, readAt } from "./reading.ts";

const MAX_GRAD_NORM = 1;

/** Where a truncated episode goes on: only it is bootstrapped, and only where it has a turn. */
const goesOn = ({ ending, turns }: Trajectory): boolean => ending === "truncated" && turns.length > 0;

/** How V(history) is read off a network with a value head: at the position before each token, and behind the last turn of a truncated episode. */
export function valueReading({ harness, model }: Pick<NetworkParts, "harness" | "model">): Pick<Head<CriticScores, never>, "read" | "scores"> {
  const { endToken } = harness.automaton;

  /** What would have been read before one more turn, cut where the context is full, and one token in front of which its value is read. */
  const oneMoreTurn = ({ trajectory, wording }: Played, last: TokenSequence): TokenSequence => {
    const [turn] = trajectory.turns.slice(-1);
    if (turn === undefined) return last;
    if (!harness.wholeHistory) {
      const { tokens } = harness.context(trajectory.first, trajectory.turns, wording);
      return readAt(EMPTY, [Math.min(tokens.length, model.context)], [...tokens.slice(0, model.context), endToken]);
    }
    const { tokens } = harness.observation(turn.observation, wording, false);
    const tail = [...tokens, harness.ask(wording)].slice(0, Math.max(0, model.context - last.tokens.length));
    return readAt(last, [...placesOf(last), last.tokens.length + tail.length], [...tail, endToken]);
  };

  return {
    read: (played) => {
      const { sequences } = played.trajectory;
      const last = sequences.at(-1);
      if (last === undefined || !goesOn(played.trajectory)) return sequences;
      return [...(harness.wholeHistory ? sequences.slice(0, -1) : sequences), oneMoreTurn(played, last)];
    },
    scores: ({ trajectory }, { values }) => ({
      values: Float32Array.from([
        ...trajectory.turns.map(({ sequence, start }) => values[sequence]?.[start] ?? 0),
        goesOn(trajectory) ? (values.at(-1)?.at(-1) ?? 0) : 0,
      ]),
      tokenValues: cutTo(trajectory, values),
    }),
  };
}

/**
 * A value network of its own, V(history) at the position before each token, fitted by half the mean squared error to the targets that
 * credit gives. It starts as the policy, its value head at zero: V = 0 everywhere.
 * Source: PPO, arXiv 1707.06347, with the critic of algorithms.md, sections 2.1 and 2.3; no value clipping, as each update fits a rollout once.
 */
export function createCritic(parts: NetworkParts, settings: NetworkSettings): Critic {
  const fitted = ({ label, stats: { values }, dValues, played: { trajectory } }: Example<readonly Float32Array[]>): number => {
    let loss = 0;
    for (const [index, sequence] of trajectory.sequences.entries()) {
      const [own, returns, gradient] = [values[index], label[index], dValues[index]];
      if (own === undefined || returns === undefined || gradient === undefined) continue;
      const places = placesOf(sequence);
      const mask = new Uint8Array(sequence.tokens.length);
      for (const place of places) mask[place] = 1;
      loss += valueLoss({ starts: [0, mask.length], mask, weights: Float64Array.of(1), tokens: places.length }, { values: own, oldValues: own, returns }, null, gradient).loss;
    }
    return loss;
  };

  return secondNetwork<CriticScores, readonly Float32Array[]>(parts, settings, {
    name: "critic",
    valueHead: true,
    compares: false,
    maxGradNorm: MAX_GRAD_NORM,
    ...valueReading(parts),
    count: (labelled) => labelled.reduce((sum, { played: { trajectory } }) => sum + trajectory.sequences.flatMap(placesOf).length, 0),
    loss: (group) => group.reduce((sum, example) => sum + fitted(example), 0),
  });
}
