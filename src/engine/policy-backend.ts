import type { Rng } from "#core/chance.ts";
import { legalLogNormaliser } from "#core/distribution.ts";
import { PolicyError } from "#core/errors.ts";
import type { TokenGrads, TokenLoss, TokenStats, TrainBatch } from "#core/objective.ts";
import type { ForwardPass, PolicyBackend } from "#core/policy.ts";
import { ILLEGAL, type TokenAutomaton } from "#core/tokens.ts";
import type { DeviceBuffer, Executor } from "./executor.ts";
import { f32, type View } from "./kernel.ts";
import { COEFFICIENT, COEFFICIENT_FIELDS, STATS, STATS_FIELDS } from "./kernels/legal.ts";
import { memoryOf, refuseUnfit } from "./memory.ts";
import { heaviestRow, initialWeights, layoutOf, padWeights, unpadWeights, type ModelConfig, type ModelLayout } from "./model.ts";
import { Optimizer, type StepReport } from "./optimizer.ts";
import { packBatch, type BatchShare, type PackedBatch } from "./packing.ts";
import { Sampler } from "./sampler.ts";
import { NO_TOKENS, passWithLoss } from "./token-loss-pass.ts";
import { trainingPass, uploaded, type TrainingParts } from "./training-pass.ts";
import { Transformer } from "./transformer.ts";
import { Workspace } from "./workspace.ts";

export interface PolicyOptions {
  readonly model: ModelConfig;
  readonly automaton: TokenAutomaton;
  readonly maxGradNorm: number;
  readonly weightDecay: number;
}

/** Everything that learning on needs, without padding: from it a policy goes on as if it had never stopped. */
export interface PolicyState {
  readonly weights: Float32Array<ArrayBuffer>;
  /** AdamW's moments and the steps it has done. */
  readonly first: Float32Array<ArrayBuffer>;
  readonly second: Float32Array<ArrayBuffer>;
  readonly step: number;
}

/** A policy on one executor, with what only the engine's own callers need beside `PolicyBackend`. */
export interface EnginePolicy extends PolicyBackend {
  readonly layout: ModelLayout;
  /** @param share where the batch is a part of a larger one, whose gradient sums it adds to */
  forward(batch: TrainBatch, share?: BatchShare): Promise<ForwardPass>;
  /** Optimiser steps that may well be under way before the first one's numbers are waited for; 0 where steps are done one by one. */
  readonly queueDepth: number;
  /**
   * Forward pass, gradient and optimiser step with nothing read in between: all of it is queued when this returns, and its numbers come
   * when they are read. Of a loss that is not finite they tell when the step was taken. Undefined where a read is no wait: there the loss is
   * best computed by the caller. Gradients gathered before are part of the step.
   * @throws PolicyError when the loss needs a reference or a value head that is not there
   */
  readonly learn: ((batch: TrainBatch, loss: TokenLoss, learningRate: number) => Promise<StepReport>) | undefined;
  /** Gradient sums of some shards, [to − from, padded], taken away; for whoever gathers those of several threads. @throws KernelError on a GPU */
  takeShards(from: number, to: number): Float32Array<ArrayBuffer>;
  /** Adds what another thread took. @throws KernelError on a GPU */
  addShards(from: number, values: Float32Array): void;
  /** The policy that `TokenStats.kl` and `referenceLogprobs` compare with; undefined turns both off. */
  setReference(weights: Float32Array | undefined): void;
  /** The gradient gathered so far, in snapshot order, before clipping. */
  gradient(): Promise<Float32Array>;
  /** Optimiser moments and step back to the start. */
  resetOptimizer(): void;
  /** A copy, in the order of the model's tensor list; the reference policy is no part of it. */
  exportState(): Promise<PolicyState>;
  /** @throws PolicyError when it is of another model. */
  importState(state: PolicyState): void;
}

/** [states, words] bits of the legal tokens. */
function legalBits({ vocabularySize, states, next }: TokenAutomaton): { readonly bits: Uint32Array<ArrayBuffer>; readonly words: number } {
  const words = Math.ceil(vocabularySize / 32);
  const bits = new Uint32Array(states * words);
  for (let state = 0; state < states; state += 1)
    for (let token = 0; token < vocabularySize; token += 1)
      if (next[state * vocabularySize + token] !== ILLEGAL) {
        const at = state * words + (token >>> 5);
        bits[at] = ((bits[at] ?? 0) | (1 << (token & 31))) >>> 0;
      }
  return { bits, words };
}

/** A policy with the given weights (snapshot order), or a blank one drawn from a stream. @throws PolicyError when the weights do not fit */
export function createPolicy(executor: Executor, options: PolicyOptions, start: Rng | Float32Array): EnginePolicy {
  const layout = layoutOf(options.model);
  const rowsAtOnce = executor.rowsAtOnce(heaviestRow(layout));
  const refuse = (what: string, rows: number, picks: number, hasReference: boolean): void => {
    const load = { rows, picks, hasReference, contexts: 0, contextTokens: 0, actionTokens: 0 };
    refuseUnfit(what, memoryOf(layout, options.automaton.states, rowsAtOnce, load), executor.memoryLimit);
  };
  refuse(`a policy of ${layout.parameters} parameters`, 0, 0, false);
  const padded = padWeights(layout, start instanceof Float32Array ? start : initialWeights(layout, start));
  const workspace = new Workspace(executor);
  const model = new Transformer(executor, workspace, layout);
  const weights = executor.alloc("weights", "f32", layout.padded);
  const optimizer = new Optimizer(executor, weights, options);
  const sampler = new Sampler(executor, workspace, model, options.automaton);
  const { bits, words } = legalBits(options.automaton);
  const legal = executor.alloc("legal", "u32", bits.length);
  executor.upload(legal, bits);
  executor.upload(weights, padded);
  let reference: DeviceBuffer | undefined;
  let passOpen = false;

  const parts: TrainingParts = { executor, workspace, model, weights, legal: { bits: legal, words }, shards: optimizer.shards };

  /** @throws PolicyError while a pass is open, or when there is too much to learn from at once */
  const packedBatch = (batch: TrainBatch, hasReference: boolean, share?: BatchShare): PackedBatch => {
    if (passOpen) throw new PolicyError("the last forward pass was not disposed of");
    const packed = packBatch(batch, options.model.context, rowsAtOnce, share);
    if (packed.pickCount > 0) refuse(`learning from ${packed.rowCount} tokens at once`, packed.rowCount, packed.pickCount, hasReference);
    return packed;
  };

  const forward = async (batch: TrainBatch, share?: BatchShare): Promise<ForwardPass> => {
    const packed = packedBatch(batch, reference !== undefined, share);
    const { pickCount } = packed;
    const size = batch.rows * batch.length;
    const empty = (): Float32Array => new Float32Array(size);
    if (pickCount === 0)
      return { stats: { logprobs: empty(), entropies: empty() }, backward: () => Promise.resolve(), dispose: () => undefined };
    passOpen = true;
    const pass = trainingPass(parts, packed, { reference, values: options.model.valueHead });
    const { kl, values } = pass;
    const [statsRead, referenceRead, klRead, valuesRead] = await Promise.all([
      executor.read(pass.stats, 0, pickCount * STATS_FIELDS),
      pass.reference ? executor.read(pass.reference.stats, 0, pickCount * STATS_FIELDS) : undefined,
      kl ? executor.read(kl, 0, pickCount) : undefined,
      values ? executor.read(values, 0, pickCount * 4) : undefined,
    ]);
    const spread = (from: View, fields: number, field: number): Float32Array => {
      const result = empty();
      for (let index = 0; index < pickCount; index += 1) result[packed.origin[index] ?? 0] = from[index * fields + field] ?? 0;
      return result;
    };
    const read: TokenStats = {
      logprobs: spread(statsRead, STATS_FIELDS, STATS.LOGPROB),
      entropies: spread(statsRead, STATS_FIELDS, STATS.ENTROPY),
      ...(referenceRead ? { referenceLogprobs: spread(referenceRead, STATS_FIELDS, STATS.LOGPROB) } : {}),
      ...(klRead ? { kl: spread(klRead, 1, 0) } : {}),
      ...(valuesRead ? { values: spread(valuesRead, 4, 0) } : {}),
    };
    const backward = async (grads: TokenGrads): Promise<void> => {
      if (!passOpen) throw new PolicyError("this forward pass was disposed of");
      const coefficients = new Float32Array(pickCount * COEFFICIENT_FIELDS);
      const dValues = values && grads.dValues ? new Float32Array(pickCount * 4) : undefined;
      for (let index = 0; index < pickCount; index += 1) {
        const [from, at] = [packed.origin[index] ?? 0, index * COEFFICIENT_FIELDS];
        coefficients[at + COEFFICIENT.LOGPROB] = grads.dLogprobs[from] ?? 0;
        coefficients[at + COEFFICIENT.ENTROPY] = grads.dEntropies?.[from] ?? 0;
        coefficients[at + COEFFICIENT.KL] = pass.reference ? (grads.dKl?.[from] ?? 0) : 0;
        coefficients[at + COEFFICIENT.KL_VALUE] = read.kl?.[from] ?? 0;
        if (dValues) dValues[index * 4] = grads.dValues?.[from] ?? 0;
      }
      pass.backward(uploaded(parts, "train.coefficients", coefficients), dValues && uploaded(parts, "train.dValues", dValues));
      await Promise.resolve();
    };
    return {
      stats: read,
      backward,
      dispose: () => {
        passOpen = false;
      },
    };
  };

  const update = (learningRate: number): Promise<StepReport> => {
    const report = optimizer.update(learningRate);
    sampler.forget();
    return report;
  };

  const learn = async (batch: TrainBatch, loss: TokenLoss, learningRate: number): Promise<StepReport> => {
    const packed = packedBatch(batch, loss.klCoefficient !== 0);
    if (packed.pickCount > 0) passWithLoss(parts, packed, loss, reference, optimizer.lossSums);
    const report = await update(learningRate);
    return packed.pickCount > 0 ? report : { ...report, sums: NO_TOKENS };
  };

  return {
    arithmetic: executor.arithmetic,
    layout,
    sample: (requests, sampling) => sampler.sample(weights, requests, sampling),
    async nextLogprobs(requests) {
      const { vocabulary } = options.model;
      const logits = await executor.read(sampler.logits(weights, requests), 0, requests.length * layout.headColumns);
      const result = new Float32Array(requests.length * vocabulary).fill(-Infinity);
      for (const [index, { automatonState }] of requests.entries()) {
        const isLegal = (token: number): boolean => options.automaton.next[automatonState * vocabulary + token] !== ILLEGAL;
        const normaliser = legalLogNormaliser(logits, index * layout.headColumns, vocabulary, isLegal);
        for (let token = 0; token < vocabulary; token += 1)
          if (isLegal(token)) result[index * vocabulary + token] = (logits[index * layout.headColumns + token] ?? 0) - normaliser;
      }
      return result;
    },
    forward,
    takeShards: (from, to) => optimizer.takeShards(from, to),
    addShards: (from, values) => optimizer.addShards(from, values),
    applyUpdate: update,
    queueDepth: executor.queueDepth,
    learn: executor.queueDepth > 0 ? learn : undefined,
    async snapshot() {
      return unpadWeights(layout, f32([await executor.read(weights)], 0));
    },
    load(from) {
      executor.upload(weights, padWeights(layout, from));
      sampler.forget();
    },
    setReference(from) {
      if (!from) {
        if (reference) executor.free(reference);
        reference = undefined;
        return;
      }
      reference ??= executor.alloc("reference", "f32", layout.padded);
      executor.upload(reference, padWeights(layout, from));
    },
    gradient: async () => unpadWeights(layout, await optimizer.gradient()),
    resetOptimizer: () => optimizer.reset(),
    async exportState() {
      const [own, { step, first, second }] = await Promise.all([executor.read(weights), optimizer.exportState()]);
      return {
        weights: unpadWeights(layout, new Float32Array(own)), first: unpadWeights(layout, first), second: unpadWeights(layout, second), step,
      };
    },
    importState(state) {
      const padded = { step: state.step, first: padWeights(layout, state.first), second: padWeights(layout, state.second) };
      executor.upload(weights, padWeights(layout, state.weights));
      optimizer.importState(padded);
      sampler.forget();
    },
    dispose() {
      sampler.dispose();
      optimizer.dispose();
      workspace.dispose();
      if (reference) executor.free(reference);
      executor.free(legal);
      executor.free(weights);
    },
  };
}

