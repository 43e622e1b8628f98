import { exp, log } from "./math.ts";

/** Whether a token may come next. Logits of tokens that may not are never read, so whatever stands there (1e300, NaN) cannot leak. */
export type Legal = (token: number) => boolean;

/**
 * log Σ exp z over the legal tokens, nats, in double precision; -Infinity when none is legal.
 * The row is `vocabulary` numbers of `logits` from `offset` on; log p of a legal token is its logit minus this.
 */
export function legalLogNormaliser(logits: ArrayLike<number>, offset: number, vocabulary: number, isLegal: Legal): number {
  let largest = -Infinity;
  for (let token = 0; token < vocabulary; token += 1) if (isLegal(token)) largest = Math.max(largest, logits[offset + token] as number);
  if (largest === -Infinity) return largest;
  let sum = 0;
  for (let token = 0; token < vocabulary; token += 1) if (isLegal(token)) sum += exp((logits[offset + token] as number) - largest);
  return largest + log(sum);
}

/** H = -Σ p·log p, nats; 0·log 0 = 0. */
export function legalEntropy(logits: ArrayLike<number>, offset: number, vocabulary: number, isLegal: Legal, logNormaliser: number): number {
  let entropy = 0;
  for (let token = 0; token < vocabulary; token += 1) {
    if (!isLegal(token)) continue;
    const logProbability = (logits[offset + token] as number) - logNormaliser;
    const probability = exp(logProbability);
    if (probability !== 0) entropy -= probability * logProbability;
  }
  return entropy;
}

/**
 * Exact KL(p ‖ q) = Σ p·(log p - log q), nats, q from the row of `reference` at the same offset and over the same legal tokens;
 * Infinity where q rules out what p allows.
 */
export function legalKl(
  logits: ArrayLike<number>, reference: ArrayLike<number>, offset: number, vocabulary: number, isLegal: Legal,
  logNormaliser: number, referenceLogNormaliser: number,
): number {
  let kl = 0;
  for (let token = 0; token < vocabulary; token += 1) {
    if (!isLegal(token)) continue;
    const logProbability = (logits[offset + token] as number) - logNormaliser;
    const probability = exp(logProbability);
    if (probability !== 0) kl += probability * (logProbability - ((reference[offset + token] as number) - referenceLogNormaliser));
  }
  return kl;
}

/** Gradients of a loss with respect to the statistics of one row, and the statistics they need. */
export interface RowGradient {
  readonly dLogprob: number;
  readonly entropy: number;
  readonly dEntropy: number;
  readonly kl: number;
  readonly dKl: number;
}

/**
 * dLoss/dlogit of one legal token: dLogprob·(onehot - p) - dEntropy·p·(log p + H) + dKl·p·((log p - log q) - KL).
 * @param onehot 1 for the token whose log-probability dLogprob belongs to, else 0.
 * @param logReference log q; not read where dKl is 0.
 */
export function logitGradient(logProbability: number, onehot: 0 | 1, logReference: number, { dLogprob, entropy, dEntropy, kl, dKl }: RowGradient): number {
  const probability = exp(logProbability);
  let slope = dLogprob * (onehot - probability);
  if (probability === 0) return slope;
  if (dEntropy !== 0) slope -= dEntropy * probability * (logProbability + entropy);
  if (dKl !== 0) slope += dKl * probability * (logProbability - logReference - kl);
  return slope;
}
