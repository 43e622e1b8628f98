import * as v from "valibot";
import { exp } from "#core/math.ts";
import type { ClipRange, PolicyTokens } from "./clipped-loss.ts";
import { driftOf } from "./drift.ts";
import type { Evaluate, ObjectiveEntry } from "./entry.ts";
import { termDefaults, termFields, termNeeds, withTerms } from "./terms.ts";
import { startsOf, weighUnits } from "./token-rows.ts";
import type { PerToken, PerTokenOut, TokenRows } from "./token-rows.ts";

const schema = v.strictObject({ ...termFields });

export interface GspoLoss {
  readonly loss: number;
  /** [units] s; 1 without a sampled token. */
  readonly ratios: number[];
  /** Mean over the units of the share of tokens whose clipped term is strictly larger; their gradient is 0. */
  readonly clipFraction: number;
}

/** Geometric mean of the importance ratios of a unit's sampled tokens. */
function unitRatios({ starts, mask }: TokenRows, unitOfRow: ArrayLike<number>, logprobs: PerToken, oldLogprobs: PerToken): number[] {
  const units = Array.from(unitOfRow).reduce((most, unit) => Math.max(most, unit + 1), 0);
  const [sums, counts] = [new Float64Array(units), new Float64Array(units)];
  for (const [row, unit] of Array.from(unitOfRow).entries()) {
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      if (mask[index] === 0) continue;
      sums[unit] = (sums[unit] as number) + ((logprobs[index] as number) - (oldLogprobs[index] as number));
      counts[unit] = (counts[unit] as number) + 1;
    }
  }
  return Array.from(sums, (sum, unit) => exp(sum / Math.max(1, counts[unit] as number)));
}

/**
 * s = exp(mean log ratio) of a unit; mean over units of the mean over tokens of max(-A·s, -A·clip(s, 1 - clipLow, 1 + clipHigh)).
 * Where the advantage varies inside a unit each token pulls with its own (GSPO-token): s·A stands before its log-probability alone.
 * @param rows weighed by `weighUnits`. @param gradLogprobs receives dLoss/dlogprob: -weight·A·s where the unclipped term counts, else 0.
 * Source: GSPO, arXiv 2507.18071, equations 5 and 13; algorithms.md, section 3.5.
 */
export function gspoLoss(rows: TokenRows, unitOfRow: ArrayLike<number>, policy: PolicyTokens, { clipLow, clipHigh }: ClipRange, gradLogprobs: PerTokenOut): GspoLoss {
  const { starts, mask, weights } = rows;
  const ratios = unitRatios(rows, unitOfRow, policy.logprobs, policy.oldLogprobs);
  let [loss, clipFraction] = [0, 0];
  for (let row = 0; row < weights.length; row += 1) {
    const weight = weights[row] as number;
    const ratio = ratios[unitOfRow[row] as number] as number;
    const bounded = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
    for (let index = starts[row] as number; index < (starts[row + 1] as number); index += 1) {
      gradLogprobs[index] = 0;
      if (mask[index] === 0) continue;
      const [unclippedTerm, clippedTerm] = [-(policy.advantages[index] as number) * ratio, -(policy.advantages[index] as number) * bounded];
      loss += weight * Math.max(unclippedTerm, clippedTerm);
      if (clippedTerm > unclippedTerm) clipFraction += weight;
      else gradLogprobs[index] = weight * unclippedTerm;
    }
  }
  return { loss, ratios, clipFraction };
}

/** A unit is a trajectory, whatever number of sequences it has. The paper clips at 3e-4 and 4e-4: the ratio of a whole trajectory moves little. */
export const gspo: ObjectiveEntry<typeof schema> = {
  id: "gspo",
  title: "GSPO (ratio of the whole trajectory)",
  needs: termNeeds,
  schema,
  defaults: termDefaults,
};

export const evaluate: Evaluate<typeof schema> = (batch, stats, config) => {
  const rows = weighUnits({ starts: startsOf(batch), mask: batch.mask }, batch.trajectoryOfRow);
  const dLogprobs = new Float32Array(batch.rows * batch.length);
  const policy = { logprobs: stats.logprobs, oldLogprobs: batch.behaviorLogprobs, advantages: batch.advantages };
  const { loss, clipFraction } = gspoLoss(rows, batch.trajectoryOfRow, policy, config, dLogprobs);
  return withTerms(batch, stats, config, rows, { loss, dLogprobs, metrics: { clipFraction, ...driftOf(rows, stats.logprobs, batch.behaviorLogprobs) } });
};
