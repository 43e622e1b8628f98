import { sigmoid, softplus } from "#algorithms/logistic.ts";

export interface PreferencePairs {
  /** [P] scores of the preferred and of the other one. */
  readonly chosen: readonly number[];
  readonly rejected: readonly number[];
  /** [P] by how much the preferred one should be ahead. */
  readonly margins: readonly number[];
}
export interface BradleyTerryLoss {
  readonly loss: number;
  /** Share of pairs in the right order. */
  readonly accuracy: number;
  readonly gradChosen: number[];
  readonly gradRejected: number[];
}

/**
 * What a learned reward model is fitted with: the mean of -log sigmoid(chosen - rejected - margin), plus centreCoefficient times the mean
 * of (chosen + rejected)², which fixes where its scores lie. No pair: 0.
 * Source: Bradley and Terry (1952); RewardTrainer of TRL; algorithms.md, section 7.
 */
export function bradleyTerryLoss({ chosen, rejected, margins }: PreferencePairs, centreCoefficient: number): BradleyTerryLoss {
  const count = chosen.length;
  const gradChosen = new Array<number>(count).fill(0);
  const gradRejected = new Array<number>(count).fill(0);
  let [loss, ordered] = [0, 0];
  for (let pair = 0; pair < count; pair += 1) {
    const [better, worse] = [chosen[pair] as number, rejected[pair] as number];
    const lead = better - worse - (margins[pair] as number);
    loss += (softplus(-lead) + centreCoefficient * (better + worse) ** 2) / count;
    const [pull, centring] = [sigmoid(-lead) / count, (2 * centreCoefficient * (better + worse)) / count];
    gradChosen[pair] = centring - pull;
    gradRejected[pair] = centring + pull;
    if (better > worse) ordered += 1;
  }
  return { loss, accuracy: ordered / Math.max(1, count), gradChosen, gradRejected };
}
