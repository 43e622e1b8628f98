import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { PolicyError } from "#core/errors.ts";
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
import { Examiner, type ExaminerParts } from "#trainer/player/examiner.ts";
import { createPlayerPolicy, refuseUnlessCausal } from "#trainer/player/player-policy.ts";
import { PlayerQueue } from "#trainer/player/queue.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { inProcess, nodeQueue, openInNode } from "./player-support.ts";

const shipped = async (name: string): Promise<Checkpoint> => readCheckpoint(new Uint8Array(await readFile(new URL(`../../../public/policies/${name}.safetensors`, import.meta.url))));

/** Draws lie this far from a boundary between two tokens, or the two engines may part there. */
const BOUNDARY = 1e-4;

/** For docs/method.md: a whole evaluation as the page offers it. */
const IS_FULL = process.env["TURNWISE_FULL"] === "1";
const SIZE = IS_FULL ? ([64, 8] as const) : ([6, 4] as const);

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
  const { followed, alone, asked } = await compared(preset, SIZE[0], SIZE[1]);
  if (IS_FULL) console.log(preset, asked, followed.passHatK, alone.passHatK);
  expect(asked.actions).toBeGreaterThan(40);
  expect(asked.largest).toBeLessThan(1e-4);
  expect(asked.distances.filter((far) => far >= BOUNDARY)).toEqual([]);
  if (asked.distances.length === 0) expect(alone).toEqual(followed);
}, 900_000);

test("other weights are found out: then it does not", async () => {
  const { asked } = await compared("refund-desk", 2, 2, (weights) => {
    for (let index = 0; index < 5000; index += 1) weights[index] = (weights[index] ?? 0) * 1.5;
  });
  expect(asked.distances.filter((far) => far >= BOUNDARY).length).toBeGreaterThan(0);
});

/** Parts of the page's worker, in Node. */
const parts: ExaminerParts = { executor: () => wasmExecutor("simd128"), base: shipped, queue: nodeQueue, services: {} };

test("the file that the Python example of docs/onnx.md writes acts in the refund desk, beside the base policy", async () => {
  const bytes = new Uint8Array(await readFile(new URL("../../fixtures/python-policy.onnx", import.meta.url)));
  const examiner = new Examiner(parts);
  const loaded = await examiner.load({ kind: "onnx", bytes }, PRESETS["refund-desk"], "wasm");
  expect(loaded).toMatchObject({ parameters: 104 * 104 + 128 * 104, columns: 104, beside: "base" });
  let episode = examiner.begin(3, 1);
  while (episode.end === null) {
    const turns = episode.turns.length;
    episode = await examiner.step();
    expect(episode.turns.length).toBe(turns + 1);
  }
  expect(episode.turns.length).toBeGreaterThan(0);
  // Random logits are not the base policy.
  expect(episode.turns.some(({ native }) => !native.isSame)).toBe(true);
  await expect(examiner.load({ kind: "onnx", bytes: bytes.slice() }, PRESETS["sokoban"], "wasm")).rejects.toThrow("the model has logits for 104 tokens, the environment has 141 (144 with padding)");
  examiner.close();
});

test.each([["executor", "no engine"], ["base", "no base policy"], ["native", "got 3 weights"]] as const)("what fails behind the open session (%s) ends its worker and the engine, and what was loaded before stays", async (fails, why) => {
  const bytes = new Uint8Array(await readFile(new URL("../../fixtures/python-policy.onnx", import.meta.url)));
  const ports: ReturnType<typeof inProcess>[] = [];
  const disposed: number[] = [];
  let [executors, isBroken] = [0, false];
  const examiner = new Examiner({
    ...parts,
    queue: { ...nodeQueue, spawn: () => (ports.push(inProcess(openInNode)), ports.at(-1) ?? inProcess(openInNode)) },
    executor: async () => {
      if (isBroken && fails === "executor") throw new PolicyError("no engine");
      const [executor, number] = [await wasmExecutor("simd128"), (executors += 1)];
      return { ...executor, dispose: () => (disposed.push(number), executor.dispose()) };
    },
    base: async (preset) => {
      if (isBroken && fails === "base") throw new PolicyError("no base policy");
      const checkpoint = await shipped(preset);
      // Weights of another length are no policy.
      return isBroken ? { ...checkpoint, weights: new Float32Array(3) } : checkpoint;
    },
  });
  await examiner.load({ kind: "onnx", bytes }, PRESETS["refund-desk"], "wasm");
  isBroken = true;
  await expect(examiner.load({ kind: "onnx", bytes }, PRESETS["refund-desk"], "wasm")).rejects.toThrow(why);
  expect(ports.map((port) => port.isEnded())).toEqual([false, true]);
  expect(disposed).toEqual(fails === "executor" ? [] : [2]);
  expect((await examiner.step().catch((error: unknown) => String(error)))).toMatch("no episode was begun");
  examiner.close();
  expect(ports[0]?.isEnded()).toBe(true);
});

test("an examination tells both reports, ends when it is told to, and what is loaded goes on", async () => {
  const examiner = new Examiner(parts);
  const loaded = await examiner.load({ kind: "base" }, PRESETS["sokoban"], "wasm");
  expect(loaded.beside).toBe("same");
  const request = { split: "heldout", tasks: 3, trials: 2, greedy: false, seed: 1 } as const;
  const seen: string[] = [];
  const { player, native } = await examiner.evaluate(request, ({ who, total }) => seen.push(`${who} ${total}`));
  expect(player.successes).toEqual(native.successes);
  expect(new Set(seen)).toEqual(new Set(["player 6", "native 6"]));
  const stopped = examiner.evaluate(request, () => examiner.stop());
  await expect(stopped).rejects.toMatchObject({ message: "the evaluation was stopped", detail: { stopped: true } });
  expect((await examiner.step().catch((error: unknown) => String(error)))).toMatch("no episode was begun");
  expect(examiner.begin(0, 1).turns).toEqual([]);
  expect((await examiner.step()).turns[0]?.native.isSame).toBe(true);
  examiner.close();
});
