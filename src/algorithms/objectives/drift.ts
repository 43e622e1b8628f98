import { exp } from "#core/math.ts";
import type { ClippedLoss } from "./clipped-loss.ts";
import type { PerToken, TokenRows } from "./token-rows.ts";

/** How far the policy has moved from the one that sampled; metrics alone, for objectives that do not work with the ratio themselves. */
export function driftOf({ starts, mask, tokens }: TokenRows, logprobs: PerToken, oldLogprobs: PerToken): Pick<ClippedLoss, "approxKl" | "maxRatio"> {
  let [klSum, maxRatio] = [0, 0];
  for (let index = starts[0] as number; index < (starts[starts.length - 1] as number); index += 1) {
    if (mask[index] === 0) continue;
    const logRatio = (logprobs[index] as number) - (oldLogprobs[index] as number);
    const ratio = exp(logRatio);
    klSum += ratio - 1 - logRatio;
    maxRatio = Math.max(maxRatio, ratio);
  }
  return { approxKl: klSum / Math.max(1, tokens), maxRatio };
}
