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
