import { describe, expect, test } from "vitest";
import { OBJECTIVES, type ObjectiveConfig } from "#algorithms/objectives/registry.ts";
import { PolicyError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import type { Executor } from "#engine/executor.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { Steps } from "#trainer/steps.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { NO_NETWORKS } from "#trainer/scorer/open.ts";
import { train } from "#trainer/train.ts";
import type { Algorithm } from "../algorithms/device-forms.ts";
import { AUTOMATON, randomBatch, TINY } from "../engine/tiny.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { SMALL_RUN } from "./runs.ts";
import { BATCHES, furthest, learner, learnt } from "./steps.ts";

/** The executor, which says that it works by itself. */
const away = (executor: Executor): Executor => Object.create(executor, { queueDepth: { value: 3 } });
const FIRST = { ...randomBatch(createRng(1), [4, 6]), returns: new Float32Array(12) };
const IDS = Object.keys(OBJECTIVES) as ObjectiveConfig["id"][];
const TERMS = { entropyCoefficient: 0.1, valueCoefficient: 0.5 };
const algorithmOf = (id: ObjectiveConfig["id"], change: object = {}): Algorithm =>
  ({ objective: { id, ...OBJECTIVES[id].defaults, ...change } as ObjectiveConfig, clipLow: 0.2, clipHigh: 0.28 });
const notFinite = (what: string, value: number): Error => new PolicyError(`the ${what} is ${value}`);

describe("steps on an executor that works by itself", () => {
  test.each(IDS.flatMap((id) => [[id, {}] as const, [id, { ...TERMS, ...(id === "dpo" ? {} : { klCoefficient: 0.4 }) }] as const, [id, { klCoefficient: 0.4, klEstimator: "k3" }] as const]))(
    "%s %o: the same numbers and weights as step by step", async (id, change) => {
      const algorithm = algorithmOf(id, change);
      const [here, there] = [await learnt(await learner(createReferenceExecutor()), algorithm), await learnt(await learner(away(createReferenceExecutor())), algorithm)];
      expect(here.steps.length).toBe(3);
      expect(furthest(there.steps, here.steps)).toBeLessThan(2e-4);
      // Where a gradient is all rounding AdamW goes a whole step one way or the other.
      const apart = there.weights.filter((weight, index) => Math.abs(weight - (here.weights[index] ?? NaN)) > 1e-4);
      expect(apart.length / here.weights.length).toBeLessThan(2e-3);
      expect(here.steps.some(({ loss }) => loss !== 0)).toBe(true);
    });

  test("a batch without a token is a step all the same", async () => {
    const batches = BATCHES.map((batch, index) => (index === 1 ? { ...batch, mask: new Uint8Array(batch.mask.length) } : batch));
    const [here, there] = [await learnt(await learner(createReferenceExecutor()), algorithmOf("clipped"), batches), await learnt(await learner(away(createReferenceExecutor())), algorithmOf("clipped"), batches)];
    expect(there.steps.length).toBe(BATCHES.length);
    expect(there.steps[1]).toMatchObject({ loss: 0, gradNorm: 0, metrics: { clipFraction: 0, approxKl: 0, maxRatio: 0, meanEntropy: 0 } });
    expect(furthest(there.steps, here.steps)).toBeLessThan(2e-4);
  });

  test("at most as many as it likes are under way, and their numbers come in order", async () => {
    const policy = await learner(away(createReferenceExecutor()));
    const [answers, seen]: [(() => void)[], string[]] = [[], []];
    let begun = 0;
    const slow: EnginePolicy = {
      ...policy,
      learn: (batch) => {
        begun += 1;
        const number = begun;
        return new Promise((resolve) => answers.push(() => {
          seen.push(`answer ${number}`);
          resolve({ gradNorm: number, sums: { loss: batch.rows, clipped: 0, drift: 0, entropy: 0, maxRatio: 0 } });
        }));
      },
    };
    const steps = new Steps(slow, algorithmOf("clipped"), notFinite);
    for (let step = 0; step < 3; step += 1) await steps.take(FIRST, 1);
    expect(begun).toBe(3);
    let isTaken = false;
    const fourth = steps.take(FIRST, 1).then(() => (isTaken = true));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([begun, isTaken]).toEqual([4, false]);
    // Out of order: what counts is whose turn it is.
    answers[1]?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isTaken).toBe(false);
    answers[0]?.();
    await fourth;
    answers[3]?.();
    answers[2]?.();
    expect((await steps.measured()).map(({ gradNorm }) => gradNorm)).toEqual([1, 2, 3, 4]);
    expect(await steps.measured()).toEqual([]);
    expect(seen).toEqual(["answer 2", "answer 1", "answer 4", "answer 3"]);
  });

  test("a loss that is not finite is found before the update is told, whatever comes after it", async () => {
    for (const count of [1, 2, 5]) {
      const policy = await learner(away(createReferenceExecutor()));
      policy.load((await policy.snapshot()).fill(NaN));
      const steps = new Steps(policy, algorithmOf("clipped"), notFinite);
      const all = async (): Promise<unknown> => {
        for (let step = 0; step < count; step += 1) await steps.take(BATCHES[step % 2] ?? FIRST, 0.01);
        return steps.measured();
      };
      await expect(all()).rejects.toThrow("the loss is NaN");
    }
  });

  test("a loss that needs what is not there is refused", async () => {
    const policy = createPolicy(away(createReferenceExecutor()), { model: TINY, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 }, createRng(1));
    for (const [change, message] of [[{ klCoefficient: 1 }, "there is no reference policy"], [{ valueCoefficient: 1 }, "there is no value head"]] as const) {
      const steps = new Steps(policy, algorithmOf("clipped", change), notFinite);
      await steps.take(FIRST, 1);
      await expect(steps.measured()).rejects.toThrow(message);
    }
  });

  test("a threads' policy has no such steps, nor has one on WASM", async () => {
    for (const executor of [await wasmExecutor("simd128"), createReferenceExecutor()]) expect(await learner(executor)).toMatchObject({ queueDepth: 0, learn: undefined });
  });
});

test("a run on such an executor tells what one step by step tells", async () => {
  const config = { ...SMALL_RUN, updates: 2, algorithm: { ...SMALL_RUN.algorithm, minibatches: 3, epochs: 2 } };
  const metricsOn = async (executor: Executor) => withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, undefined);
    for await (const event of train(config, { arena, policy, networks: NO_NETWORKS, now: () => 0, gate: () => Promise.resolve() })) if (event.type === "update") return event.metrics;
    throw new Error("no update");
  });
  const [here, there] = [await metricsOn(await wasmExecutor("simd128")), await metricsOn(away(await wasmExecutor("simd128")))];
  for (const name of ["loss", "gradNorm", "clipFraction", "kl", "entropy"] as const) {
    expect(here[name], name).not.toBeNull();
    expect(Math.abs((there[name] ?? NaN) - (here[name] ?? NaN)), name).toBeLessThan(2e-4 * (1 + Math.abs(here[name] ?? NaN)));
  }
  expect(here.gradNorm).toBeGreaterThan(0);
});
