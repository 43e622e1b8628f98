import { bradleyTerryLoss } from "#algorithms/rewards/bradley-terry.ts";
import type { NetworkParts, RewardModel, RewardScores } from "../scorer.ts";
import { secondNetwork, type Example, type NetworkSettings } from "./network.ts";
import { readAt } from "./reading.ts";

export interface RewardModelSettings extends NetworkSettings {
  /** Pulls the scores of a pair towards a sum of 0. */
  readonly centreCoefficient: number;
}

const MAX_GRAD_NORM = 1;

/** The trajectory's score is read behind its last action, as a reward model reads behind the last token of an answer. */
function lastPlace({ played: { trajectory }, stats: { values }, dValues }: Example<boolean>): { readonly score: number; readonly add: (slope: number) => void } {
  const turn = trajectory.turns.at(-1);
  const [own, gradient] = turn === undefined ? [] : [values[turn.sequence], dValues[turn.sequence]];
  if (turn === undefined || own === undefined || gradient === undefined) return { score: 0, add: () => {} };
  return {
    score: own[turn.end] ?? 0,
    add: (slope) => {
      gradient[turn.end] = (gradient[turn.end] ?? 0) + slope;
    },
  };
}

/** Σ over all pairs of a success and a failure in the group. */
function pairLoss(group: readonly Example<boolean>[], centreCoefficient: number): number {
  const ends = group.map((example) => ({ ...lastPlace(example), label: example.label }));
  const pairs = ends.filter(({ label }) => label).flatMap((chosen) => ends.filter(({ label }) => !label).map((rejected) => ({ chosen, rejected })));
  const { loss, gradChosen, gradRejected } = bradleyTerryLoss(
    { chosen: pairs.map(({ chosen }) => chosen.score), rejected: pairs.map(({ rejected }) => rejected.score), margins: pairs.map(() => 0) }, centreCoefficient,
  );
  for (const [index, { chosen, rejected }] of pairs.entries()) {
    chosen.add(pairs.length * (gradChosen[index] ?? 0));
    rejected.add(pairs.length * (gradRejected[index] ?? 0));
  }
  return pairs.length * loss;
}

/**
 * A reward model of its own: one number a trajectory, fitted to which of two trajectories of a group is better. It starts as the policy,
 * its head at zero: every score is 0. Source: Bradley and Terry (1952); RewardTrainer of TRL; algorithms.md, section 7.
 */
export const createRewardModel = (parts: NetworkParts, settings: RewardModelSettings): RewardModel =>
  secondNetwork<RewardScores, boolean>(parts, settings, {
    name: "reward model",
    valueHead: true,
    compares: false,
    maxGradNorm: MAX_GRAD_NORM,
    read: ({ trajectory: { sequences, turns } }) =>
      sequences.map((sequence, index) => {
        const ends = turns.flatMap((turn) => (turn.sequence === index ? [turn.end] : []));
        return readAt(sequence, ends, ends.at(-1) === sequence.tokens.length ? [parts.harness.automaton.endToken] : []);
      }),
    scores: ({ trajectory }, { values }) => ({ modelScores: Float32Array.from(trajectory.turns, ({ sequence, end }) => values[sequence]?.[end] ?? 0) }),
    count: (labelled) => labelled.filter(({ label }) => label).length * labelled.filter(({ label }) => !label).length,
    loss: (group) => pairLoss(group, settings.centreCoefficient),
  });
