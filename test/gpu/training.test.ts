import { describe, expect, test } from "vitest";
import { makeMinibatches } from "#algorithms/batch.ts";
import type { TrainBatch } from "#core/objective.ts";
import { createRng } from "#core/rng.ts";
import { ILLEGAL } from "#core/tokens.ts";
import type { Executor } from "#engine/executor.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { PRESETS } from "#run/run-config.ts";
import { playAll, withArena, type Arena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { rollOut } from "#trainer/roll-out.ts";
import { NO_NETWORKS } from "#trainer/scorer/open.ts";
import { Steps } from "#trainer/steps.ts";
import { checkpointFor } from "../../src/cli/host.ts";
import { wasmExecutor } from "../unit/engine/wasm-modules.ts";
import { findDevice } from "./device.ts";

const config = { ...PRESETS["refund-desk"], algorithm: { ...PRESETS["refund-desk"].algorithm, groupsPerUpdate: 4, groupSize: 4, minibatches: 1 } };
const device = await findDevice();
const checkpoint = await checkpointFor("base", "refund-desk");
const learningRate = 5e-4;

const both = async <R>(use: (open: (executor: Executor) => EnginePolicy, arena: Arena<never, unknown>, gpu: Executor, wasm: Executor) => Promise<R>): Promise<R> => {
  const [gpu, wasm] = [new WebGpuExecutor(device as GPUDevice), await wasmExecutor("simd128")];
  return withArena(config, (arena) => use((executor) => openPolicy(executor, config, arena, checkpoint), arena as never, gpu, wasm));
};

async function teach(policy: EnginePolicy, batch: TrainBatch): Promise<{ readonly loss: number; readonly gradNorm: number }> {
  const steps = new Steps(policy, config.algorithm, (what, value) => new Error(`the ${what} is ${value}`));
  await steps.take(batch, learningRate);
  const [measured] = await steps.measured();
  if (measured === undefined) throw new Error("no step was taken");
  return measured;
}

describe.skipIf(device === undefined)("training on the software adapter, from the base policy", () => {
  test("five teacher-forced updates on trajectories recorded on WASM agree within 1e-3 relative in loss and gradient norm", async () => {
    await both(async (open, arena, gpu, wasm) => {
      const [taught, reference] = [open(gpu), open(wasm)];
      const deps = { arena, policy: reference, networks: NO_NETWORKS, gate: () => Promise.resolve() };
      const batches: TrainBatch[] = [];
      for (let update = 1; update <= 5; update += 1) {
        const { groups, credits } = await rollOut(config, deps, update, createRng(3).fork(`update/${update}`));
        batches.push(...makeMinibatches(groups, credits, 1).batches);
      }
      expect(batches.length).toBe(5);
      for (const [index, batch] of batches.entries()) {
        const [onGpu, onWasm] = [await teach(taught, batch), await teach(reference, batch)];
        expect(Math.abs(onWasm.loss)).toBeGreaterThan(1e-3);
        expect(Math.abs(onGpu.loss - onWasm.loss) / Math.abs(onWasm.loss), `loss of update ${index + 1}`).toBeLessThan(1e-3);
        expect(Math.abs(onGpu.gradNorm - onWasm.gradNorm) / onWasm.gradNorm, `gradient norm of update ${index + 1}`).toBeLessThan(1e-3);
      }
    });
  }, 60_000);

  test("free-running, 4 tasks × 4: where tokens first differ, the random number lies within 1e-4 of the boundary between the two", async () => {
    await both(async (open, arena, gpu, wasm) => {
      const [there, here] = [open(gpu), open(wasm)];
      const specs = arena.tasks("train", 4, createRng(5)).flatMap((task, index) => Array.from({ length: 4 }, (_, member) => arena.spec(task, "free", createRng(index * 4 + member), 0)));
      const options = { greedy: false, concurrency: 16 };
      const [onGpu, onWasm] = [await playAll(arena, specs, there, options), await playAll(arena, specs, here, options)];
      let compared = 0;
      for (const [index, { trajectory }] of onWasm.entries()) {
        const [mine, other] = [trajectory.sequences[0], onGpu[index]?.trajectory.sequences[0]];
        if (!mine || !other) throw new Error("a trajectory has no sequence");
        const at = mine.tokens.findIndex((token, position) => other.tokens[position] !== token);
        compared += at < 0 ? mine.tokens.length : at;
        if (at < 0) continue;
        const turn = trajectory.turns.findIndex(({ start, end }) => start <= at && at < end);
        const start = trajectory.turns[turn]?.start ?? 0;
        const stream = specs[index]?.rng.fork(`turn/${turn}/sample`);
        let uniform = 0;
        for (let draw = start; draw <= at; draw += 1) uniform = stream?.next() ?? 0;
        const state = mine.automatonStates[at] ?? 0;
        const logprobs = await here.nextLogprobs([{ tokens: mine.tokens.slice(0, at), automatonState: state, slot: 0, rng: createRng(0) }]);
        const { vocabularySize: vocabulary, next } = arena.harness.automaton;
        const [low, high] = [mine.tokens[at] ?? 0, other.tokens[at] ?? 0].toSorted((a, b) => a - b);
        let boundary = 0;
        for (let token = 0; token < (high ?? 0); token += 1) if (next[state * vocabulary + token] !== ILLEGAL && token <= (low ?? 0)) boundary += Math.exp(logprobs[token] ?? -Infinity);
        expect(Math.abs(uniform - boundary), `trajectory ${index}, token ${at}`).toBeLessThan(1e-4);
      }
      expect(compared).toBeGreaterThan(16 * 10);
    });
  }, 60_000);
});
