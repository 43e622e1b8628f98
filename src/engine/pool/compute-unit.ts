import { PolicyError } from "#core/errors.ts";
import type { TokenGrads, TokenStats, TrainBatch } from "#core/objective.ts";
import type { ForwardPass, SampleOptions } from "#core/policy.ts";
import type { BatchShare } from "../packing.ts";
import { createPolicy, type EnginePolicy, type PolicyOptions } from "../policy-backend.ts";
import { createWasmExecutor, type WasmFlavour } from "../wasm/wasm-executor.ts";
import { packCompletions, unpackRequests, type PackedCompletions, type PackedRequests } from "./shares.ts";

export interface UnitSetting {
  readonly module: WebAssembly.Module;
  readonly flavour: WasmFlavour;
  readonly options: PolicyOptions;
  readonly weights: Float32Array;
}

/** What one more thread does for a policy: its share of sampling and of gradients. Plain data both ways; calls are done in order. */
export interface ComputeUnit {
  /** What was opened before is let go of. */
  open(setting: UnitSetting): Promise<void>;
  close(): Promise<void>;
  load(weights: Float32Array): Promise<void>;
  setReference(weights: Float32Array | undefined): Promise<void>;
  sample(requests: PackedRequests, options: SampleOptions): Promise<PackedCompletions>;
  nextLogprobs(requests: PackedRequests): Promise<Float32Array>;
  forward(batch: TrainBatch, share: BatchShare): Promise<TokenStats>;
  /** Of the last forward pass. */
  backward(grads: TokenGrads): Promise<void>;
  takeShards(from: number, to: number): Promise<Float32Array<ArrayBuffer>>;
}

/** A unit on this thread. */
export function createComputeUnit(): ComputeUnit {
  let policy: EnginePolicy | undefined;
  let release = (): void => {};
  let pass: ForwardPass | undefined;
  const opened = (): EnginePolicy => {
    if (policy === undefined) throw new PolicyError("this compute thread has no policy");
    return policy;
  };
  const close = (): void => {
    pass = undefined;
    release();
    policy = undefined;
    release = () => {};
  };
  return {
    async open({ module, flavour, options, weights }) {
      close();
      const executor = await createWasmExecutor(module, flavour);
      const made = createPolicy(executor, options, weights);
      policy = made;
      release = () => {
        made.dispose();
        executor.dispose();
      };
    },
    close: () => Promise.resolve(close()),
    load: (weights) => Promise.resolve(opened().load(weights)),
    setReference: (weights) => Promise.resolve(opened().setReference(weights)),
    sample: async (requests, options) => packCompletions(await opened().sample(unpackRequests(requests), options)),
    nextLogprobs: (requests) => opened().nextLogprobs(unpackRequests(requests)),
    async forward(batch, share) {
      pass?.dispose();
      pass = await opened().forward(batch, share);
      return pass.stats;
    },
    async backward(grads) {
      if (pass === undefined) throw new PolicyError("this compute thread has no forward pass");
      await pass.backward(grads);
      pass.dispose();
      pass = undefined;
    },
    takeShards: async (from, to) => opened().takeShards(from, to),
  };
}
