import { makeMinibatches } from "#algorithms/batch.ts";
import type { Credit, ScoredGroup } from "#core/credit.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";

/**
 * For several credits of one group, the policy gradient Σ over sampled tokens of credit · ∇ log π, [parameters] in snapshot order: sums,
 * so that those of groups add up to that of a batch. At the weights that sampled, where the importance ratio is 1, this is the gradient
 * that the clipped objective under token-mean goes along. Null where no turn is paid.
 * @param policy of its own: what an optimiser gathered so far is lost
 */
export async function creditGradients(policy: EnginePolicy, group: ScoredGroup, credits: readonly (readonly Credit[])[]): Promise<readonly (Float32Array | null)[]> {
  const batches = credits.map((credit) => makeMinibatches([group], [credit], 1).batches[0]);
  const first = batches.find((batch) => batch !== undefined);
  if (first === undefined) return batches.map(() => null);
  const gradients: (Float32Array | null)[] = [];
  const pass = await policy.forward(first);
  try {
    for (const batch of batches) {
      if (batch === undefined) {
        gradients.push(null);
        continue;
      }
      policy.resetOptimizer();
      await pass.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
      gradients.push(await policy.gradient());
    }
    policy.resetOptimizer();
  } finally {
    pass.dispose();
  }
  return gradients;
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] as number) * (b[index] as number);
  return sum;
}

/** Null where one of them is zero. @param ab a·b; aa, bb the squared lengths */
export const cosineOf = (ab: number, aa: number, bb: number): number | null => (aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : null);
