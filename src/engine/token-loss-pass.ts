import { PolicyError } from "#core/errors.ts";
import type { TokenLoss, TokenSums } from "#core/objective.ts";
import type { BufferRange, DeviceBuffer } from "./executor.ts";
import { COEFFICIENT_FIELDS } from "./kernels/legal.ts";
import { LOSS_TOKEN, LOSS_TOKEN_FIELDS, lossValues, tokenLoss } from "./kernels/token-loss/index.ts";
import type { PackedBatch } from "./packing.ts";
import { trainingPass, uploaded, type TrainingParts } from "./training-pass.ts";

export const NO_TOKENS: TokenSums = { loss: 0, clipped: 0, drift: 0, entropy: 0, maxRatio: 0 };

/** [picks, LOSS_TOKEN_FIELDS] of what the loss says of the sampled tokens. */
function tokensOf({ advantages, behaviorLogprobs, weights, returns }: TokenLoss, { origin, pickCount }: PackedBatch): Float32Array<ArrayBuffer> {
  const tokens = new Float32Array(pickCount * LOSS_TOKEN_FIELDS);
  for (let index = 0; index < pickCount; index += 1) {
    const [from, at] = [origin[index] ?? 0, index * LOSS_TOKEN_FIELDS];
    tokens[at + LOSS_TOKEN.ADVANTAGE] = advantages[from] ?? 0;
    tokens[at + LOSS_TOKEN.BEHAVIOUR] = behaviorLogprobs[from] ?? 0;
    tokens[at + LOSS_TOKEN.WEIGHT] = weights[from] ?? 0;
    tokens[at + LOSS_TOKEN.RETURN] = returns?.[from] ?? 0;
  }
  return tokens;
}

/**
 * Forward pass, loss and backward pass without a read in between: all of it is queued when this returns.
 * @param sums where `token-loss` leaves what the loss came to
 * @throws PolicyError when the loss compares with a reference and there is none, or fits values and there is no value head
 */
export function passWithLoss(parts: TrainingParts, packed: PackedBatch, loss: TokenLoss, reference: DeviceBuffer | undefined, sums: BufferRange): void {
  const { executor, workspace, model } = parts;
  const { pickCount } = packed;
  const [compares, fits] = [loss.klCoefficient !== 0, loss.valueWeight !== 0];
  if (compares && reference === undefined) throw new PolicyError("the loss has a KL term, but there is no reference policy");
  if (fits && !model.layout.config.valueHead) throw new PolicyError("the loss has a value term, but there is no value head");
  // What nothing is computed from must still be bound: the statistics stand in.
  const tokens = uploaded(parts, "train.lossTokens", tokensOf(loss, packed));
  const pass = trainingPass(parts, packed, { reference: compares ? reference : undefined, values: fits });
  const coefficients = workspace.get("train.coefficients", "f32", pickCount * COEFFICIENT_FIELDS);
  const dValues = workspace.get("train.dValues", "f32", fits ? pickCount * 4 : 4);
  executor.run(tokenLoss, [pass.stats, pass.reference?.stats ?? pass.stats, pass.kl ?? pass.stats, pass.values ?? pass.stats, tokens, coefficients, dValues, sums], lossValues(loss, pickCount));
  pass.backward(coefficients, fits ? dValues : undefined);
}
