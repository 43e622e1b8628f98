import { afterAll, describe, expect, test } from "vitest";
import { OBJECTIVES, type ObjectiveConfig } from "#algorithms/objectives/registry.ts";
import { createRng } from "#core/rng.ts";
import { REPORT } from "#engine/optimizer.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { NO_NETWORKS } from "#trainer/scorer/open.ts";
import { Steps } from "#trainer/steps.ts";
import { train } from "#trainer/train.ts";
import { checkpointFor } from "../../src/cli/host.ts";
import { anything, batchOf } from "../bench/page/batch.ts";
import { problemOf } from "../bench/page/problem.ts";
import { differences, ON_DEVICE, randomAlgorithm, randomCase, type Algorithm } from "../unit/algorithms/device-forms.ts";
import { furthest, learner, learnt } from "../unit/trainer/steps.ts";
import { findDevice } from "./device.ts";

const device = await findDevice();
const checkpoint = await checkpointFor("base", "refund-desk");
const preset = PRESETS["refund-desk"];
const algorithmOf = (id: ObjectiveConfig["id"], change: object = {}): Algorithm =>
  ({ objective: { id, ...OBJECTIVES[id].defaults, ...change } as ObjectiveConfig, clipLow: 0.2, clipHigh: 0.28 });

/** What an executor does with its device: "submit", and "map" where bytes are asked back. A map may be held up. */
function watched(real: GPUDevice, log: string[], held: (bytes: number) => Promise<unknown> = () => Promise.resolve()): GPUDevice {
  const queue: Pick<GPUQueue, "submit" | "writeBuffer"> = {
    submit(commands) {
      log.push("submit");
      return real.queue.submit(commands);
    },
    writeBuffer: real.queue.writeBuffer.bind(real.queue),
  };
  const createBuffer = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    const buffer = real.createBuffer(descriptor);
    const mapAsync = buffer.mapAsync.bind(buffer);
    return Object.assign(buffer, {
      mapAsync: async (mode: GPUMapModeFlags, offset = 0, bytes = 0): Promise<undefined> => {
        log.push(`map ${bytes}`);
        await mapAsync(mode, offset, bytes);
        await held(bytes);
        return undefined;
      },
    });
  };
  return new Proxy(real, {
    get(target, name) {
      if (name === "queue") return queue;
      if (name === "createBuffer") return createBuffer;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe.skipIf(device === undefined)("steps on WebGPU", () => {
  // The bound that keeps one submit short on a slow adapter is off: these batches are small, and what is counted is what a step needs.
  const open = (log: string[] = []): WebGpuExecutor => new WebGpuExecutor(watched(device as GPUDevice, log), { maxQueuedInvocations: Infinity });
  afterAll(() => device?.destroy());

  test.each(ON_DEVICE)("%s: the form on the device agrees with the objective, whatever the settings and the batch", async (id) => {
    const executor = open();
    for (let seed = 1; seed <= 60; seed += 1) {
      const rng = createRng(1000 + seed).fork(id);
      const algorithm = randomAlgorithm(rng, id);
      expect((await differences(executor, algorithm, randomCase(rng, algorithm), 1e-4)).slice(0, 3), `seed ${seed}: ${JSON.stringify(algorithm)}`).toEqual([]);
    }
    executor.dispose();
    expect(executor.liveBuffers).toBe(0);
  });

  test.each([["clipped", {}], ["clipped", { dualClip: 3, entropyCoefficient: 0.1, valueCoefficient: 0.5 }], ["cispo", { klCoefficient: 0.4, klEstimator: "k3" }], ["gspo", {}]] as const)(
    "%s %o: the same numbers as on the definition, step by step", async (id, change) => {
      const executor = open();
      const policy = await learner(executor);
      const [got, wanted] = [await learnt(policy, algorithmOf(id, change)), await learnt(await learner(createReferenceExecutor()), algorithmOf(id, change))];
      expect(furthest(got.steps, wanted.steps)).toBeLessThan(1e-3);
      policy.dispose();
      expect(executor.liveBuffers).toBe(0);
      executor.dispose();
    });

  const report = `map ${REPORT * 4}`;

  /** The log of one update's steps in a run of 4 groups of 4; `late`: a step waited for the numbers of the one before. */
  async function updateOf(objective: RunConfig["algorithm"]["objective"]) {
    const config: RunConfig = {
      ...preset, updates: 1, evaluation: { every: 1, tasks: 1, trials: 1 },
      algorithm: { ...preset.algorithm, objective, groupsPerUpdate: 4, groupSize: 4, minibatches: 3, epochs: 2 },
    };
    const log: string[] = [];
    let [isLearning, begun, late] = [false, 0, false];
    let letGo = (): void => undefined;
    const enough = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    // Numbers of a step are held up until one step more than may be under way has begun; if that waits for them it never does.
    const patience = (): void => {
      late = true;
      letGo();
    };
    const executor = new WebGpuExecutor(watched(device as GPUDevice, log, (bytes) => (isLearning && bytes === REPORT * 4 ? enough : Promise.resolve())), { maxQueuedInvocations: Infinity });
    const timer = setTimeout(patience, 20_000);
    await withArena(config, async (arena) => {
      const real = openPolicy(executor, config, arena, checkpoint);
      const begins = <A extends readonly unknown[], R>(call: (...given: A) => R) => (...given: A): R => {
        isLearning = true;
        log.push("step");
        begun += 1;
        if (begun > real.queueDepth) letGo();
        return call(...given);
      };
      const policy: EnginePolicy = {
        ...real, forward: begins(real.forward), learn: real.learn && begins(real.learn),
        // An update is marked with a hash of its weights, once its steps are done.
        snapshot: () => {
          log.push("snapshot");
          return real.snapshot();
        },
      };
      for await (const event of train(config, { arena, policy, networks: NO_NETWORKS, now: () => 0, gate: () => Promise.resolve() })) if (event.type === "update") expect(event.metrics.gradNorm).toBeGreaterThan(0);
      real.dispose();
    });
    clearTimeout(timer);
    executor.dispose();
    const first = log.indexOf("step");
    return { log: log.slice(first, log.indexOf("snapshot", first)), late };
  }

  /** What happens from one step to the next. */
  const perStep = (log: readonly string[]): readonly (readonly string[])[] =>
    log.join("\n").split("step").slice(1).map((part) => part.trim().split("\n"));

  test.each([["alone", {}], ["with a reference, entropy and dual clip", { klCoefficient: 0.1, entropyCoefficient: 0.01, dualClip: 3 }]] as const)(
    "a step of an objective with a form on the device is one submit, %s, and waits for nothing", async (_name, change) => {
      const { log, late } = await updateOf({ ...OBJECTIVES.clipped.defaults, id: "clipped", ...change });
      const parts = perStep(log);
      expect(parts.length).toBeGreaterThanOrEqual(4);
      for (const part of parts) expect(part).toEqual(["submit", report]);
      expect(late).toBe(false);
    });

  test.each([["alone", {}, 1], ["with a reference", { klCoefficient: 0.1 }, 3]] as const)(
    "a step of another objective is two submits, %s, and waits once, for its statistics", async (_name, change, copies) => {
      const { log, late } = await updateOf({ ...OBJECTIVES.gspo.defaults, id: "gspo", ...change });
      const parts = perStep(log);
      expect(parts.length).toBeGreaterThanOrEqual(4);
      for (const part of parts) expect(part.map((entry) => (entry.startsWith("map") && entry !== report ? "map" : entry))).toEqual(["submit", ...Array.from({ length: copies }, () => "map"), "submit", report]);
      expect(late).toBe(false);
    });

  test("under the bound that keeps a submit short, too, where a step is as large as the benchmark's", async () => {
    const log: string[] = [];
    const executor = new WebGpuExecutor(watched(device as GPUDevice, log));
    const problem = problemOf("L2 d64 T128 B8");
    const policy = createPolicy(executor, { model: problem.model, automaton: anything(problem.model.vocabulary), maxGradNorm: 1, weightDecay: 0 }, problem.weights);
    const steps = new Steps(policy, algorithmOf("clipped"), (what, value) => new Error(`the ${what} is ${value}`));
    const batch = batchOf(problem);
    for (const step of [1, 2]) {
      await steps.take({ ...batch, advantages: new Float32Array(batch.tokens.length).fill(step) }, 0.001);
      expect(log).toEqual(Array.from({ length: step }, () => ["submit", report]).flat());
    }
    expect((await steps.measured()).length).toBe(2);
    policy.dispose();
    executor.dispose();
  });

  test("reads that are asked for together are one submit, and see what came before them", async () => {
    const log: string[] = [];
    const executor = open(log);
    const [a, b] = [executor.alloc("a", "f32", 4), executor.alloc("b", "f32", 4)];
    executor.upload(a, Float32Array.of(1, 2, 3, 4));
    const both = Promise.all([executor.read(a), executor.read(b), executor.read(a, 2)]);
    // Asked for before these: they change nothing of it.
    executor.upload(a, new Float32Array(4));
    executor.free(b);
    expect(await both).toEqual([Float32Array.of(1, 2, 3, 4), new Float32Array(4), Float32Array.of(3, 4)]);
    expect(log.filter((entry) => entry === "submit").length).toBe(1);
    executor.dispose();
  });
});
