/** Row = sequence, in canonical order (group, member, sequence); all per-token arrays are [rows × length], row-major. */
export interface TrainBatch {
  readonly rows: number;
  /** Padded length T; a row's own length is in `lengths`. */
  readonly length: number;
  readonly lengths: Uint32Array;
  readonly tokens: Uint32Array;
  /** 1 where the policy sampled the token. */
  readonly mask: Uint8Array;
  readonly automatonStates: Uint16Array;
  readonly trajectoryOfRow: Uint32Array;
  readonly advantages: Float32Array;
  readonly behaviorLogprobs: Float32Array;
  /** What the values are fitted to; absent for demonstrations. */
  readonly returns?: Float32Array;
  /** Trajectory indices, for preference objectives. */
  readonly pairs: readonly { readonly chosen: number; readonly rejected: number }[];
  /** [groups][G] undiscounted returns, null for a failed rollout; trajectory indices count through the groups. Absent for demonstrations. */
  readonly groupReturns?: readonly (readonly (number | null)[])[];
}

/** All [rows × length], nats, over the legal tokens; 0 where mask is 0. */
export interface TokenStats {
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  readonly referenceLogprobs?: Float32Array;
  /** Exact KL(current ‖ reference) per position. */
  readonly kl?: Float32Array;
  readonly values?: Float32Array;
}

/** Gradients of the returned loss, [rows × length] each. */
export interface TokenGrads {
  readonly loss: number;
  readonly dLogprobs: Float32Array;
  readonly dEntropies?: Float32Array;
  readonly dKl?: Float32Array;
  readonly dValues?: Float32Array;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Pure; the batch's advantages are constants. */
export type Objective<C> = (batch: TrainBatch, stats: TokenStats, config: C) => TokenGrads;

/**
 * A loss that is a sum over the sampled tokens of what each one's own statistics say, and all of it that is known before the forward pass:
 * an engine can compute gradients and sums where the statistics are. Arrays are [rows × length], read where mask is 1. With
 * ρ = exp(logprob − behaviour), c = clip(ρ, 1 − clipLow, 1 + clipHigh), A the advantage, a token's part is
 * weight · (surrogate − entropyCoefficient · entropy + klCoefficient · KL) + valueWeight · (value − return)² / 2.
 */
export interface TokenLoss {
  /** "ratio": max(−A·ρ, −A·c), and at most −dualClip·A where A < 0. "weight": −c·A·logprob with c held fixed; with a range of 0 the plain policy gradient. */
  readonly surrogate: "ratio" | "weight";
  readonly clipLow: number;
  readonly clipHigh: number;
  /** More than 1; null = off. */
  readonly dualClip: number | null;
  readonly weights: Float32Array;
  readonly advantages: Float32Array;
  readonly behaviorLogprobs: Float32Array;
  /** Of the entropy bonus, which is taken off the loss. */
  readonly entropyCoefficient: number;
  readonly klCoefficient: number;
  /** "exact" over the legal tokens, or from the sampled token alone. */
  readonly klEstimator: "exact" | "k1" | "k2" | "k3";
  readonly valueWeight: number;
  /** Present where `valueWeight` is not 0. */
  readonly returns?: Float32Array;
}

/** What a `TokenLoss` came to over the sampled tokens of a batch. */
export interface TokenSums {
  readonly loss: number;
  /** Tokens whose clipped term is strictly larger; under "weight", those whose ratio lies outside the range. */
  readonly clipped: number;
  /** Σ (ρ − 1) − log ρ */
  readonly drift: number;
  readonly entropy: number;
  /** 0 without a token. */
  readonly maxRatio: number;
}
