import type { TrainBatch } from "#core/objective.ts";
import { createRng } from "#core/rng.ts";
import type { Executor } from "#engine/executor.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import type { StepMetrics } from "#trainer/metrics.ts";
import { Steps } from "#trainer/steps.ts";
import type { Algorithm } from "../algorithms/device-forms.ts";
import { AUTOMATON, randomBatch, TINY } from "../engine/tiny.ts";

const OPTIONS = { model: { ...TINY, valueHead: true }, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0.01 };

/** A blank policy with a reference that is another one. */
export async function learner(executor: Executor): Promise<EnginePolicy> {
  const policy = createPolicy(executor, OPTIONS, createRng(3));
  policy.setReference((await policy.snapshot()).map((weight, index) => weight + (index % 7 === 0 ? 0.05 : 0)));
  return policy;
}

/** Batches with returns, and with a trajectory that failed in each. */
export const BATCHES: readonly TrainBatch[] = [[9, 1, 6, 12, 2, 7], [3, 11, 5], [8, 2, 12, 12]].map((lengths, index) => {
  const batch = randomBatch(createRng(20 + index), lengths);
  const groupReturns = [lengths.map((_, trajectory) => (trajectory % 3 === 2 ? null : trajectory % 2))];
  return { ...batch, returns: batch.advantages.map((advantage) => advantage / 2), groupReturns, pairs: [{ chosen: 1, rejected: 0 }] };
});

/** The steps of an update, and what they leave. */
export async function learnt(policy: EnginePolicy, algorithm: Algorithm, batches = BATCHES): Promise<{ readonly steps: readonly StepMetrics[]; readonly weights: Float32Array }> {
  const steps = new Steps(policy, algorithm, (what, value) => new Error(`the ${what} is ${value}`));
  for (const batch of batches) await steps.take(batch, 0.003);
  return { steps: await steps.measured(), weights: await policy.snapshot() };
}

/** Largest of |got − wanted| / (1 + |wanted|) over the numbers of all steps. */
export function furthest(got: readonly StepMetrics[], wanted: readonly StepMetrics[]): number {
  const numbers = (steps: readonly StepMetrics[]): readonly (readonly [string, number])[] =>
    steps.flatMap(({ loss, gradNorm, metrics }, step) => Object.entries({ loss, gradNorm, ...metrics }).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [`${step} ${name}`, value] as const));
  const [mine, theirs] = [numbers(got), numbers(wanted)];
  if (mine.map(([name]) => name).join() !== theirs.map(([name]) => name).join()) return Infinity;
  return mine.reduce((most, [, value], index) => {
    const should = theirs[index]?.[1] ?? NaN;
    return Math.max(most, Math.abs(value - should) / (1 + Math.abs(should)));
  }, 0);
}
