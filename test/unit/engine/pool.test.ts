import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { PolicyError } from "#core/errors.ts";
import type { TrainBatch } from "#core/objective.ts";
import { fingerprint } from "#core/json.ts";
import { createRng } from "#core/rng.ts";
import { createComputeUnit, type ComputeUnit } from "#engine/pool/compute-unit.ts";
import { createPooledPolicy } from "#engine/pool/pooled-policy.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { createWasmExecutor } from "#engine/wasm/wasm-executor.ts";
import { AUTOMATON, randomBatch, TINY } from "./tiny.ts";

const OPTIONS = { model: { ...TINY, valueHead: true }, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 };
const module = await WebAssembly.compile(new Uint8Array(await readFile(new URL("../../../src/engine/wasm/simd128.wasm", import.meta.url))));

/** As if on another thread: what goes in and out is copied, a module aside. */
function across(unit: ComputeUnit): ComputeUnit {
  const copied = <A extends unknown[], R>(call: (...values: A) => Promise<R>) => async (...values: A): Promise<R> => structuredClone(await call(...(structuredClone(values) as A)));
  return {
    open: (setting) => unit.open({ ...setting, weights: structuredClone(setting.weights) }),
    close: copied(unit.close), load: copied(unit.load), setReference: copied(unit.setReference), sample: copied(unit.sample), nextLogprobs: copied(unit.nextLogprobs),
    forward: copied(unit.forward), backward: copied(unit.backward), takeShards: copied(unit.takeShards),
  };
}

async function pooled(units: number, made: (unit: ComputeUnit, index: number) => ComputeUnit = (unit) => unit): Promise<EnginePolicy> {
  const local = createPolicy(await createWasmExecutor(module, "simd128"), OPTIONS, createRng(1));
  const weights = await local.snapshot();
  const opened = await Promise.all(Array.from({ length: units }, async (_, index) => {
    const unit = made(across(createComputeUnit()), index);
    await unit.open({ module, flavour: "simd128", options: OPTIONS, weights });
    return unit;
  }));
  return createPooledPolicy(local, opened);
}

const contexts = Array.from({ length: 40 }, (_, index) => Array.from({ length: 1 + ((index * 7) % 23) }, (_unused, at) => 1 + ((index * 5 + at * 3) % 12)));
const requests = (seed: number, count = 40) => contexts.slice(0, count).map((tokens, slot) => ({
  tokens: Uint32Array.from(tokens), slot, rng: createRng(seed).fork(`${slot}`), automatonState: AUTOMATON.startState,
}));

/** Of their bits: long lists that differ are slow to be shown. */
const bits = (values: Float32Array): string => fingerprint(values);

async function learn(policy: EnginePolicy, batch: TrainBatch): Promise<{ readonly stats: unknown; readonly gradient: string; readonly gradNorm: number }> {
  const pass = await policy.forward(batch);
  const dLogprobs = batch.advantages.map((advantage, at) => -advantage * (batch.mask[at] ?? 0));
  await pass.backward({ loss: 0, dLogprobs, dEntropies: dLogprobs.map((value) => value / 3), dKl: dLogprobs, dValues: dLogprobs.map((value) => value / 2), metrics: {} });
  pass.dispose();
  const gradient = bits(await policy.gradient());
  return { stats: pass.stats, gradient, ...(await policy.applyUpdate(0.01)) };
}

/** Two steps with a reference, then actions and log-probabilities under what was learnt. */
async function transcript(policy: EnginePolicy, lengths: readonly number[]) {
  policy.setReference(await policy.snapshot());
  const first = await learn(policy, randomBatch(createRng(3), lengths));
  const second = await learn(policy, randomBatch(createRng(4), lengths));
  const sampled = await policy.sample(requests(5), { greedy: false, maxTokens: 4 });
  const few = await policy.sample(requests(6, 3), { greedy: false, maxTokens: 4 });
  const made = { first, second, sampled, few, logprobs: bits(await policy.nextLogprobs(requests(7))), weights: bits(await policy.snapshot()) };
  policy.dispose();
  return made;
}

describe("a policy shared by threads", () => {
  test.each([[1], [2], [7]])("with %i more, every number is bit-equal to that of one thread", async (units) => {
    for (const lengths of [[9, 3, 14, 6, 11, 5, 8, 12, 7, 4, 10, 13, 6, 9, 3, 5, 8], [7, 9], [5]])
      expect(await transcript(await pooled(units), lengths)).toEqual(await transcript(await pooled(0), lengths));
  });

  test("gradients gathered over two passes are summed, and looking at them takes nothing away", async () => {
    const [alone, shared] = [await pooled(0), await pooled(3)];
    const batch = randomBatch(createRng(8), [9, 3, 14, 6, 11, 5, 8, 12]);
    for (const policy of [alone, shared]) {
      for (let pass = 0; pass < 2; pass += 1) {
        const each = await policy.forward(batch);
        await each.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
        each.dispose();
      }
      await policy.gradient();
    }
    const gradient = await shared.gradient();
    expect(bits(gradient)).toBe(bits(await alone.gradient()));
    expect(gradient.some((value) => value !== 0)).toBe(true);
  });

  test("weights that are loaded reach every thread", async () => {
    const [alone, shared] = [await pooled(0), await pooled(2)];
    const other = (await alone.snapshot()).map((weight) => weight * 1.5);
    for (const policy of [alone, shared]) policy.load(other);
    expect(await shared.nextLogprobs(requests(1))).toEqual(await alone.nextLogprobs(requests(1)));
  });

  const CALLS = ["load", "setReference", "sample", "nextLogprobs", "forward", "backward", "takeShards"] as const;
  test.each(CALLS.flatMap((name) => [0, 1, 2].map((after) => [name, after] as const)))("a thread that breaks down in %s, after %i good ones, changes no number", async (name, after) => {
    let [done, failed] = [0, 0];
    const breaking = (unit: ComputeUnit): ComputeUnit => {
      const dead = (): boolean => failed > 0 || (done += 1) > after;
      const broken = <A extends readonly unknown[], R>(call: (...values: A) => Promise<R>, counts: boolean) => async (...values: A): Promise<R> => {
        if (!(counts ? dead() : failed > 0)) return call(...values);
        failed += 1;
        throw new PolicyError("gone");
      };
      const wrapped = Object.fromEntries(CALLS.map((each) => [each, broken(unit[each] as (...values: unknown[]) => Promise<unknown>, each === name)]));
      return { ...unit, ...wrapped };
    };
    const lengths = [9, 3, 14, 6, 11, 5, 8, 12];
    const made = await transcript(await pooled(2, (unit, index) => (index === 1 ? breaking(unit) : unit)), lengths);
    // Fewer calls of a kind than it takes to break down: nothing to see.
    if (failed === 0) expect(done).toBeLessThanOrEqual(after);
    expect(made).toEqual(await transcript(await pooled(0), lengths));
  });

  test("an optimiser that is set back forgets what other threads gathered too", async () => {
    const [alone, shared] = [await pooled(0), await pooled(3)];
    const batch = randomBatch(createRng(8), [9, 3, 14, 6, 11, 5, 8, 12]);
    for (const policy of [alone, shared]) {
      const pass = await policy.forward(batch);
      await pass.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
      pass.dispose();
      policy.resetOptimizer();
    }
    expect(bits(await shared.gradient())).toBe(bits(await alone.gradient()));
  });
});
