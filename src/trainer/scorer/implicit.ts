import { istarLoss } from "#algorithms/credit/istar.ts";
import { primeLoss } from "#algorithms/credit/prime.ts";
import type { ImplicitScorer, ImplicitScores, NetworkParts } from "../scorer.ts";
import { secondNetwork, type Example, type NetworkSettings } from "./network.ts";
import { cutTo } from "./reading.ts";

/** How it is fitted: to pairs of a group's trajectories, compared with the policy that sampled, or to outcomes, compared with where it started. */
export type ImplicitLoss =
  | { readonly kind: "istar"; readonly beta: number; readonly form: "default" | "asReleased" }
  | { readonly kind: "prime"; readonly beta: number };

const MAX_GRAD_NORM = 10;

type Known = Example<boolean>;
const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((total, value) => total + value, 0);
const pairsAmong = (labelled: readonly { readonly label: boolean }[]): number => labelled.filter(({ label }) => label).length * labelled.filter(({ label }) => !label).length;

/** [turns] β · Σ over the turn's tokens of (log π_φ - log π_old). */
const stepRewards = ({ played: { trajectory }, stats: { logprobs } }: Known, beta: number): number[] =>
  trajectory.turns.map(({ sequence, start, end }) =>
    beta * (sum(logprobs[sequence]?.subarray(start, end) ?? []) - sum(trajectory.sequences[sequence]?.behaviorLogprobs.subarray(start, end) ?? [])));

/** Σ over the pairs of the group; `istarLoss` is a mean over them. */
function pairLoss(group: readonly Known[], { beta, form }: Extract<ImplicitLoss, { kind: "istar" }>): number {
  const { loss, pairs, gradStepRewards } = istarLoss(group.map((example) => stepRewards(example, beta)), group.map(({ label }) => label), form);
  for (const [index, { played, dLogprobs }] of group.entries())
    for (const [turn, { sequence, start, end }] of played.trajectory.turns.entries()) dLogprobs[sequence]?.fill(pairs * beta * (gradStepRewards[index]?.[turn] ?? 0), start, end);
  return pairs * loss;
}

/** Of one trajectory: its sampled tokens are one row of `primeLoss`. */
function outcomeLoss({ played: { trajectory }, label, stats: { logprobs, references }, dLogprobs }: Known, beta: number): number {
  const gather = (values: readonly Float32Array[]): number[] => trajectory.turns.flatMap(({ sequence, start, end }) => Array.from(values[sequence]?.subarray(start, end) ?? []));
  const own = gather(logprobs);
  const gradient = new Float64Array(own.length);
  const { loss } = primeLoss({ starts: [0, own.length], mask: own.map(() => 1) }, own, gather(references), [label ? 1 : 0], beta, gradient);
  let at = 0;
  for (const { sequence, start, end } of trajectory.turns) {
    dLogprobs[sequence]?.set(gradient.subarray(at, at + end - start), start);
    at += end - start;
  }
  return loss;
}

/**
 * An implicit reward model: the log ratio of this network to a reference is read as a reward, token by token. It starts as the policy, so
 * that every reward is 0. The mean of the loss is over all pairs of the update (iStar), or over all its trajectories (PRIME).
 * Sources: iStar, arXiv 2509.19199; PRIME, arXiv 2502.01456; algorithms.md, sections 5 and 5.1.
 */
export const createImplicitScorer = (parts: NetworkParts, settings: NetworkSettings, loss: ImplicitLoss): ImplicitScorer =>
  secondNetwork<ImplicitScores, boolean>(parts, settings, {
    name: "implicit reward model",
    valueHead: false,
    compares: loss.kind === "prime",
    maxGradNorm: MAX_GRAD_NORM,
    read: ({ trajectory }) => trajectory.sequences,
    scores: ({ trajectory }, { logprobs, references }) => ({ tokenScores: cutTo(trajectory, logprobs), tokenReferences: cutTo(trajectory, references) }),
    count: (labelled) => (loss.kind === "istar" ? pairsAmong(labelled) : labelled.length),
    loss: (group) => (loss.kind === "istar" ? pairLoss(group, loss) : group.reduce((total, example) => total + outcomeLoss(example, loss.beta), 0)),
  });
