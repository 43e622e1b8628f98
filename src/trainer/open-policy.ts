import type { Task } from "#core/environment.ts";
import { ConfigError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import type { Checkpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { layoutOf, type ModelConfig } from "#engine/model.ts";
import { createPolicy, type EnginePolicy, type PolicyOptions } from "#engine/policy-backend.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { Arena } from "./arena.ts";

export const modelOf = ({ policy }: RunConfig, vocabulary: number): ModelConfig => ({ ...policy, vocabulary });

export const policyOptionsOf = <T extends Task, S>(config: RunConfig, { harness }: Arena<T, S>): PolicyOptions => ({
  model: modelOf(config, harness.vocabulary.words.length), automaton: harness.automaton, maxGradNorm: config.algorithm.maxGradNorm, weightDecay: 0,
});

const SIZES = ["layers", "width", "context", "vocabulary"] as const;

/**
 * A policy of the configured size on an executor, with the checkpoint's weights, or blank ones drawn from the run's seed.
 * A value head that the checkpoint lacks starts at zero. @throws ConfigError when the checkpoint is of another size.
 */
export function openPolicy<T extends Task, S>(executor: Executor, config: RunConfig, arena: Arena<T, S>, checkpoint: Checkpoint | undefined): EnginePolicy {
  const options = policyOptionsOf(config, arena);
  const { model } = options;
  if (!checkpoint) return createPolicy(executor, options, createRng(config.seed).fork("policy"));
  const wrong = SIZES.find((size) => checkpoint.model[size] !== model[size]);
  if (wrong !== undefined)
    throw new ConfigError(`the checkpoint has ${wrong} ${checkpoint.model[wrong]}, the run needs ${model[wrong]}: start from blank, or pretrain a policy of that size`, { size: wrong });
  const weights = new Float32Array(layoutOf(model).parameters);
  // The value head comes last in the tensor list, so both layouts agree up to it.
  weights.set(checkpoint.weights.subarray(0, Math.min(weights.length, checkpoint.weights.length)));
  return createPolicy(executor, options, weights);
}
