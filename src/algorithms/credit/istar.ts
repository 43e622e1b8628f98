import * as v from "valibot";
import type { Scored } from "#core/credit.ts";
import { choiceField, numberField } from "#core/field.ts";
import { mean } from "#core/statistics.ts";
import { sigmoid, softplus } from "#algorithms/logistic.ts";
import { sampledIn } from "#algorithms/masked-rows.ts";
import type { MaskedRows } from "#algorithms/masked-rows.ts";
import { returnOf } from "#algorithms/returns.ts";
import { gather } from "./action-tokens.ts";
import type { Assign, CreditEntry } from "./entry.ts";
import { epsField, networkFields, omegaField } from "./fields.ts";
import { groupAdvantage } from "./flat.ts";
import { given } from "./given.ts";
import { creditBatch, perTurn } from "./scorable.ts";

const schema = v.strictObject({
  beta: numberField({ title: "β", help: "Times the log ratio of implicit reward model and sampling policy.", min: 0, max: 10 }),
  normalisation: choiceField(["maxAbs", "none"], { title: "Normalise", help: "Divide the step scores by the largest of the batch, or not." }),
  omega: omegaField,
  std: choiceField(["none", "sample"], { title: "Divide by", help: "Standard deviation of the group's step scores (÷ (N - 1)), or none; the default form only." }),
  eps: epsField,
  form: choiceField(["default", "asReleased"], {
    title: "Form", help: "default: sums over turns and all steps as the baseline, as the paper means; asReleased: means over turns and first steps alone, as its code does.",
  }),
  ...networkFields("implicit reward model", ""),
});
type Istar = v.InferOutput<typeof schema>;
type Form = Istar["form"];

/**
 * raw = beta·Σ over the row's sampled tokens of (log π_φ - log π_old); scores = raw/(largest |raw| + eps), or raw. A row without one: 0.
 * @param rows one a turn. @returns [rows] each.
 * Source: iStar, arXiv 2509.19199, equation 3; istar/dp_rm.py; algorithms.md, section 5.
 */
export function istarStepScores(
  rows: MaskedRows, logprobPrm: ArrayLike<number>, logprobPolicyOld: ArrayLike<number>, { beta, normalisation, eps }: Pick<Istar, "beta" | "normalisation" | "eps">,
): { readonly raw: number[]; readonly scores: number[] } {
  const raw = Array.from({ length: Math.max(0, rows.starts.length - 1) }, (_, row) =>
    beta * sampledIn(rows, row).reduce((sum, index) => sum + (logprobPrm[index] as number) - (logprobPolicyOld[index] as number), 0));
  const scale = normalisation === "none" ? 1 : raw.reduce((most, score) => Math.max(most, Math.abs(score)), 0) + eps;
  return { raw, scores: scale === 0 ? raw : raw.map((score) => score / scale) };
}

/** asReleased: n/(n - 1)·(s - mean of the first step of each trajectory), n = trajectories. */
function againstFirstSteps(stepScores: readonly (readonly number[])[]): number[][] {
  const first = stepScores.flatMap(([score]) => (score === undefined ? [] : [score]));
  const count = stepScores.length;
  if (count < 2) return stepScores.map((list) => list.map(() => 0));
  return stepScores.map((list) => list.map((score) => (count / (count - 1)) * (score - mean(first))));
}

function againstAllSteps(stepScores: readonly (readonly number[])[], { std, eps }: Pick<Istar, "std" | "eps">): number[][] {
  const centred = groupAdvantage(stepScores.flat(), { std, eps, leaveOneOut: false }).values();
  return stepScores.map((list) => list.map(() => centred.next().value as number));
}

/**
 * total = episode + omega·step; episode = leave-one-out over the outcomes, step = the score centred over all steps of the group.
 * @param outcomes [G] @param stepScores [G][turns]
 * Source: iStar, arXiv 2509.19199, equations 6 to 8; istar/core_istar.py for the form as released; algorithms.md, section 5.
 */
export function istarAdvantages(
  outcomes: readonly number[], stepScores: readonly (readonly number[])[], { omega, form, ...settings }: Pick<Istar, "omega" | "std" | "eps" | "form">,
): { readonly episode: number[]; readonly step: number[][]; readonly total: number[][] } {
  const episode = groupAdvantage(outcomes, { std: "none", eps: 0, leaveOneOut: true });
  const step = form === "default" ? againstAllSteps(stepScores, settings) : againstFirstSteps(stepScores);
  return { episode, step, total: step.map((list, member) => list.map((value) => (episode[member] as number) + omega * value)) };
}

/**
 * What the implicit reward model is fitted with: the mean over all success × failure pairs of -log sigmoid(S_success - S_failure), S = sum
 * (asReleased: mean) of a trajectory's raw step scores. No pair: 0.
 * @param stepRewards [G][turns] raw scores. @param success [G]
 * Source: iStar, arXiv 2509.19199, equation 5; compute_eto_loss_rm of istar/rm_utils.py; algorithms.md, section 5.
 */
export function istarLoss(
  stepRewards: readonly (readonly number[])[], success: readonly boolean[], form: Form,
): { readonly loss: number; readonly pairs: number; readonly gradStepRewards: number[][] } {
  const shares = stepRewards.map((list) => (form === "default" ? 1 : 1 / Math.max(1, list.length)));
  const scores = stepRewards.map((list, member) => (shares[member] as number) * list.reduce((sum, reward) => sum + reward, 0));
  const [won, lost] = [true, false].map((kind) => [...success.keys()].filter((member) => success[member] === kind)) as [number[], number[]];
  const pairs = won.length * lost.length;
  const slopes = scores.map(() => 0);
  let loss = 0;
  for (const better of won) {
    for (const worse of lost) {
      const margin = (scores[better] as number) - (scores[worse] as number);
      loss += softplus(-margin) / pairs;
      const pull = sigmoid(-margin) / pairs;
      slopes[better] = (slopes[better] as number) - pull;
      slopes[worse] = (slopes[worse] as number) + pull;
    }
  }
  return { loss, pairs, gradStepRewards: stepRewards.map((list, member) => list.map(() => (slopes[member] as number) * (shares[member] as number))) };
}

/** Step scores of every turn, normalised over the batch. [members][turns] */
function scoresOf(members: readonly Scored[], config: Istar): number[][] {
  const turns = members.flatMap(({ trajectory }) => trajectory.turns);
  const starts = [0];
  for (const { start, end } of turns) starts.push((starts.at(-1) as number) + end - start);
  const prm = gather(members, (member) => given(member.tokenScores, "istar", "tokenScores"));
  const old = gather(members, ({ trajectory }) => trajectory.sequences.map(({ behaviorLogprobs }) => behaviorLogprobs));
  const scores = istarStepScores({ starts, mask: prm.map(() => 1) }, prm, old, config).scores.values();
  return members.map(({ trajectory }) => trajectory.turns.map(() => scores.next().value as number));
}

/** Step credit from an implicit reward model. Defaults: algorithms.md, section 16. */
export const istar: CreditEntry<typeof schema> = {
  id: "istar",
  title: "iStar (implicit step reward)",
  needs: ["tokenScores"],
  schema,
  defaults: { beta: 0.05, normalisation: "maxAbs", omega: 1, std: "none", eps: 1e-6, form: "default", networkLearningRate: 5e-4, networkSteps: 1 },
};

export const assign: Assign<typeof schema> = (groups, config) =>
  creditBatch(groups, (placed) => {
    const scores = scoresOf(placed.map(({ member }) => member), config);
    const totals = groups.flatMap((_, group) => {
      const peers = [...placed.keys()].filter((index) => placed[index]?.group === group);
      const outcomes = peers.map((index) => returnOf((placed[index] as (typeof placed)[number]).member) as number);
      return istarAdvantages(outcomes, peers.map((index) => scores[index] as number[]), config).total;
    });
    return totals.map(perTurn);
  });
