import type { Rng } from "./chance.ts";
import type { TokenGrads, TokenStats, TrainBatch } from "./objective.ts";

/** Only ever added to, at the end: links name an arithmetic by its place. */
export const ARITHMETICS = ["simd128", "relaxed", "webgpu", "reference"] as const;
export type Arithmetic = (typeof ARITHMETICS)[number];

export interface SampleRequest {
  /** The whole context, at most the policy's context length. */
  readonly tokens: Uint32Array;
  /** Where the action starts in the automaton; FREE_STATE for unconstrained decoding. */
  readonly automatonState: number;
  /** Where to look for a cached prefix; reuse is decided by comparing tokens, so a wrong slot costs time, never truth. */
  readonly slot: number;
  /** One draw per choice between tokens. */
  readonly rng: Rng;
}

export interface SampleOptions {
  /** Take the most probable legal token instead of drawing. */
  readonly greedy: boolean;
  /** Most tokens one action may have; the context length is respected besides. */
  readonly maxTokens: number;
}

export interface Completion {
  readonly tokens: Uint32Array;
  readonly logprobs: Float32Array;
  readonly automatonStates: Uint16Array;
  readonly stop: "end-of-action" | "length";
}

export interface ForwardPass {
  readonly stats: TokenStats;
  backward(grads: TokenGrads): Promise<void>;
  dispose(): void;
}

export interface PolicyBackend {
  readonly arithmetic: Arithmetic;
  /** One whole action each. @throws PolicyError when a context is empty or leaves no room for a token. */
  sample(requests: readonly SampleRequest[], options: SampleOptions): Promise<readonly Completion[]>;
  /** [B × V] log-probabilities of the next token over the legal tokens, −Infinity elsewhere. */
  nextLogprobs(requests: readonly SampleRequest[]): Promise<Float32Array>;
  /** Activations are kept until `dispose`. */
  forward(batch: TrainBatch): Promise<ForwardPass>;
  /** One AdamW step on the gradients gathered since the last one, clipped to the global norm; then they are zero. */
  applyUpdate(learningRate: number): Promise<{ readonly gradNorm: number }>;
  /** Weights in the order of the model's tensor list, without padding. */
  snapshot(): Promise<Float32Array<ArrayBuffer>>;
  load(weights: Float32Array): void;
  dispose(): void;
}
