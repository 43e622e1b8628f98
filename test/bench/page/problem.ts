import { createRng } from "#core/rng.ts";
import { initialWeights, layoutOf, type ModelConfig, type ModelLayout } from "#engine/model.ts";

/** One size of the comparison: every contestant trains this model on this batch from these weights. */
export interface Problem {
  readonly name: string;
  readonly batch: number;
  readonly model: ModelConfig;
  readonly layout: ModelLayout;
  readonly weights: Float32Array<ArrayBuffer>;
  /** [batch × (context + 1)]: the first `context` of each sequence are read, all but the first predicted. */
  readonly tokens: Uint32Array<ArrayBuffer>;
  readonly learningRate: number;
}

const VOCABULARY = 128;

/** @param name layers, width, context, batch, as in "L2 d64 T128 B8" */
function shapeOf(name: string): { readonly layers: number; readonly width: number; readonly context: number; readonly batch: number } {
  const [layers = 0, width = 0, context = 0, batch = 0] = name.split(" ").map((part) => Number(part.slice(1)));
  return { layers, width, context, batch };
}

/** Tokens that can be learnt: each follows from the one before it, with some noise. */
function tokensOf(batch: number, length: number): Uint32Array<ArrayBuffer> {
  const rng = createRng(7).fork("bench/tokens");
  const tokens = new Uint32Array(batch * length);
  for (let index = 0; index < tokens.length; index += 1) {
    const before = index % length === 0 ? 0 : (tokens[index - 1] ?? 0);
    tokens[index] = rng.next() < 0.1 ? Math.floor(rng.next() * VOCABULARY) : (before * 5 + 17) % VOCABULARY;
  }
  return tokens;
}

export function problemOf(name: string): Problem {
  const { batch, ...shape } = shapeOf(name);
  const model: ModelConfig = { ...shape, vocabulary: VOCABULARY, valueHead: false };
  const layout = layoutOf(model);
  return { name, batch, model, layout, weights: initialWeights(layout, createRng(7).fork("bench/weights")), tokens: tokensOf(batch, shape.context + 1), learningRate: 1e-3 };
}

/** One implementation ready to be timed. Losses are means over all tokens but the first of each sequence, nats. */
export interface Contestant {
  /** One optimiser step on the batch. @returns the loss before it */
  train(): Promise<number>;
  /** @returns the loss, or NaN where logits alone come out */
  forward(): Promise<number>;
  /** Tokens appended to the contexts of 64 agents, where the contestant samples. */
  rollouts?(): Promise<number>;
  /** Floating-point operations of the matrix products of one step, done. */
  products?(): Promise<number>;
  /** Bytes of what is allocated, and what the formula says of it, when it has trained and no more. */
  memory?(): { readonly allocated: number; readonly said: number };
  dispose(): void;
}

export type OpenContestant = (problem: Problem) => Promise<Contestant>;
