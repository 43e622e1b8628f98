import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Completion, PolicyBackend } from "#core/policy.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import { layoutOf } from "#engine/model.ts";
import { exportOnnx } from "#engine/onnx/export.ts";
import { readPolicyModel } from "#engine/onnx/policy-model.ts";
import { createPolicy } from "#engine/policy-backend.ts";
import { PRESETS, type PresetId } from "#run/run-config.ts";
import { withArena } from "#trainer/arena.ts";
import { evaluate } from "#trainer/evaluate.ts";
import { policyOptionsOf } from "#trainer/open-policy.ts";
import { createPlayerPolicy, refuseUnlessCausal } from "#trainer/player/player-policy.ts";
import { PlayerQueue } from "#trainer/player/queue.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { nodeQueue } from "./player-support.ts";

const shipped = async (name: string): Promise<Checkpoint> => readCheckpoint(new Uint8Array(await readFile(new URL(`../../../public/policies/${name}.safetensors`, import.meta.url))));

/** Draws lie this far from a boundary between two tokens, or the two engines may part there. */
const BOUNDARY = 1e-4;

interface Asked {
  readonly actions: number;
  /** Of actions whose tokens differ: how far the draw of the first such token lies from the boundary. */
  readonly distances: readonly number[];
  readonly largest: number;
}

/** Plays an evaluation by `native`, and asks `player` at each context for what it would do with the same draws. */
function besides(native: Pick<PolicyBackend, "sample" | "nextLogprobs">, player: Pick<PolicyBackend, "sample">, automatonState: (state: number, token: number) => number) {
  const asked = { actions: 0, distances: [] as number[], largest: 0 };
  const policy: Pick<PolicyBackend, "sample"> = {
    async sample(requests, options) {
      const draws = requests.map(({ rng }) => Array.from({ length: options.maxTokens }, () => rng.next()));
      const again = () => requests.map((request, index) => ({ ...request, rng: streamOf(draws[index] ?? []) }));
      const [own, theirs] = [await native.sample(again(), options), await player.sample(again(), options)];
      for (const [index, one] of own.entries()) {
        const other = theirs[index];
        const request = requests[index];
        if (other === undefined || request === undefined) throw new Error("too few answers");
        asked.actions += 1;
        const at = firstDifference(one, other);
        for (let token = 0; token < (at ?? one.tokens.length); token += 1) asked.largest = Math.max(asked.largest, Math.abs((one.logprobs[token] ?? 0) - (other.logprobs[token] ?? Number.NaN)));
        if (at === undefined) continue;
        const tokens = Uint32Array.from([...request.tokens, ...one.tokens.subarray(0, at)]);
        const state = one.tokens.subarray(0, at).reduce(automatonState, request.automatonState);
        const logprobs = await native.nextLogprobs([{ ...request, tokens, automatonState: state }]);
        asked.distances.push(distance(logprobs, draws[index]?.[at] ?? Number.NaN));
      }
      return own;
    },
  };
  return { policy, asked: asked satisfies Asked };
}

const streamOf = (draws: readonly number[]) => {
  let at = 0;
  const stream = { next: () => draws[at++] ?? Number.NaN, fork: () => stream };
  return stream;
};

function firstDifference(one: Completion, other: Completion): number | undefined {
  const at = Array.from({ length: Math.max(one.tokens.length, other.tokens.length) }, (_, index) => index).find((index) => one.tokens[index] !== other.tokens[index]);
  return at;
}

function distance(logprobs: Float32Array, draw: number): number {
  let [sum, nearest] = [0, Infinity];
  for (const logprob of logprobs) {
    sum += Math.exp(logprob);
    nearest = Math.min(nearest, Math.abs(sum - draw));
  }
  return nearest;
}

async function compared(preset: PresetId, tasks: number, trials: number, change: (weights: Float32Array<ArrayBuffer>) => void = () => undefined) {
  const { model, weights } = await shipped(preset);
  const config = PRESETS[preset];
  const executor = await wasmExecutor("simd128");
  return withArena(config, async (arena) => {
    const native = createPolicy(executor, { ...policyOptionsOf(config, arena), model }, weights);
    const others = weights.slice();
    change(others);
    const bytes = exportOnnx(layoutOf(model), others);
    const shape = readPolicyModel(bytes, { vocabulary: model.vocabulary, context: config.policy.context });
    const queue = new PlayerQueue(nodeQueue, { bytes, provider: "wasm", warm: [] });
    await refuseUnlessCausal(queue, shape, model.vocabulary, config.policy.context);
    const { automaton } = arena.harness;
    const player = createPlayerPolicy(queue, shape, automaton, config.policy.context);
    const request = { split: "heldout", tasks, trials, greedy: true, seed: 7 } as const;
    const gate = () => Promise.resolve();
    const { policy, asked } = besides(native, player, (state, token) => automaton.next[state * automaton.vocabularySize + token] ?? 0);
    const followed = await evaluate(arena, policy, request, gate);
    const alone = await evaluate(arena, player, request, gate);
    queue.dispose();
    native.dispose();
    return { followed, alone, asked };
  });
}

test.each(["refund-desk", "sokoban"] as const)("a pass^k evaluation of %s by the player equals the native one, but where a draw lies within 1e-4 of a boundary", async (preset) => {
  const { followed, alone, asked } = await compared(preset, 6, 4);
  expect(asked.actions).toBeGreaterThan(40);
  expect(asked.largest).toBeLessThan(1e-4);
  expect(asked.distances.filter((far) => far >= BOUNDARY)).toEqual([]);
  if (asked.distances.length === 0) expect(alone).toEqual(followed);
});

test("other weights are found out: then it does not", async () => {
  const { asked } = await compared("refund-desk", 2, 2, (weights) => {
    for (let index = 0; index < 5000; index += 1) weights[index] = (weights[index] ?? 0) * 1.5;
  });
  expect(asked.distances.filter((far) => far >= BOUNDARY).length).toBeGreaterThan(0);
});
