import { describe, expect, test } from "vitest";
import type { Rng } from "#core/chance.ts";
import type { TrainBatch } from "#core/objective.ts";
import type { SampleRequest } from "#core/policy.ts";
import { createRng } from "#core/rng.ts";
import { FREE_STATE } from "#core/tokens.ts";
import type { Executor } from "#engine/executor.ts";
import { createPolicy, type EnginePolicy } from "#engine/policy-backend.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { AUTOMATON, randomBatch, TINY } from "./tiny.ts";
import { wasmExecutor } from "./wasm-modules.ts";

const OPTIONS = { model: TINY, automaton: AUTOMATON, maxGradNorm: 1, weightDecay: 0 };
const SAMPLED = { greedy: false, maxTokens: 4 };
const executors: readonly (readonly [string, () => Promise<Executor>])[] = [
  ["reference", () => Promise.resolve(createReferenceExecutor())],
  ["simd128", () => wasmExecutor("simd128")],
  ["relaxed", () => wasmExecutor("relaxed")],
];

const request = (tokens: readonly number[], slot: number, rng: Rng, automatonState = AUTOMATON.startState): SampleRequest => ({
  tokens: Uint32Array.from(tokens), slot, rng, automatonState,
});
const contexts = Array.from({ length: 64 }, (_, index) => Array.from({ length: 1 + ((index * 7) % 23) }, (_unused, at) => 1 + ((index * 5 + at * 3) % 12)));

/** One sequence: a context and the action sampled after it. */
function batchOf(context: readonly number[], tokens: Uint32Array, states: Uint16Array, logprobs: Float32Array): TrainBatch {
  const length = context.length + tokens.length;
  const at = (values: ArrayLike<number>): number[] => [...new Array<number>(context.length).fill(0), ...Array.from(values)];
  return {
    rows: 1, length, lengths: Uint32Array.of(length), tokens: Uint32Array.from([...context, ...tokens]), mask: Uint8Array.from(at(tokens).map((_, index) => (index < context.length ? 0 : 1))),
    automatonStates: Uint16Array.from(at(states)), trajectoryOfRow: Uint32Array.of(0), advantages: new Float32Array(length), behaviorLogprobs: Float32Array.from(at(logprobs)), pairs: [],
  };
}

describe.each(executors)("policy on %s", (arithmetic, open) => {
  const opened = async (seed = 1): Promise<EnginePolicy> => createPolicy(await open(), OPTIONS, createRng(seed));

  test("log-probabilities of a context are bit-equal alone, among 3 and among 64", async () => {
    const policy = await opened();
    const of = async (batch: readonly (readonly number[])[]): Promise<Float32Array> => {
      policy.load(await policy.snapshot());
      return policy.nextLogprobs(batch.map((tokens, slot) => request(tokens, slot, createRng(0), FREE_STATE)));
    };
    const all = await of(contexts);
    const three = await of(contexts.slice(5, 8));
    expect(three).toEqual(all.slice(5 * 13, 8 * 13));
    for (const index of [0, 5, 6, 7, 63]) expect(await of([contexts[index] ?? []])).toEqual(all.slice(index * 13, (index + 1) * 13));
  });

  test("stats of a sequence are bit-equal alone and packed with others, padded or not", async () => {
    const policy = await opened();
    const together = randomBatch(createRng(2), [9, 3, 14, 6]);
    const pass = await policy.forward(together);
    pass.dispose();
    const row = 2;
    const slice = <A extends Float32Array | Uint32Array | Uint16Array | Uint8Array>(values: A): A => values.slice(row * together.length, (row + 1) * together.length) as A;
    const alone = await policy.forward({
      ...together, rows: 1, lengths: Uint32Array.of(14), tokens: slice(together.tokens), mask: slice(together.mask), automatonStates: slice(together.automatonStates),
      trajectoryOfRow: Uint32Array.of(0), advantages: slice(together.advantages), behaviorLogprobs: slice(together.behaviorLogprobs),
    });
    alone.dispose();
    expect(alone.stats.logprobs).toEqual(slice(pass.stats.logprobs));
    expect(alone.stats.entropies).toEqual(slice(pass.stats.entropies));
  });

  test("the importance ratio is exactly 1 before the first step, and not under other weights", async () => {
    const policy = await opened();
    const sampled = await policy.sample(contexts.map((tokens, slot) => request(tokens, slot, createRng(slot))), SAMPLED);
    const other = await opened(2);
    let differs = 0;
    for (const [index, completion] of sampled.entries()) {
      const context = contexts[index] ?? [];
      const batch = batchOf(context, completion.tokens, completion.automatonStates, completion.logprobs);
      const pass = await policy.forward(batch);
      pass.dispose();
      expect(pass.stats.logprobs).toEqual(batch.behaviorLogprobs);
      const elsewhere = await other.forward(batch);
      elsewhere.dispose();
      if (elsewhere.stats.logprobs.some((value, at) => Math.abs(value - (batch.behaviorLogprobs[at] ?? 0)) > 1e-3)) differs += 1;
    }
    expect(differs).toBe(contexts.length);
  });

  test("a cached prefix changes nothing: growing, shortened, exchanged contexts", async () => {
    const policy = await opened();
    const fresh = await opened();
    let grown = contexts.slice(0, 8);
    for (let turn = 0; turn < 3; turn += 1) {
      const ask = (slots: (index: number) => number): readonly SampleRequest[] => grown.map((tokens, index) => request(tokens, slots(index), createRng(turn * 100 + index)));
      const cached = await policy.sample(ask((index) => (index + turn) % 8), SAMPLED);
      fresh.load(await fresh.snapshot());
      expect(cached).toEqual(await fresh.sample(ask((index) => index), SAMPLED));
      grown = grown.map((tokens, index) => (index === 3 ? tokens.slice(0, 1) : [...tokens, ...(cached[index]?.tokens ?? []), 3].slice(0, 28)));
    }
  });

  test("actions follow the automaton and end; free decoding may run to the limit", async () => {
    const policy = await opened();
    const legal = await policy.sample(contexts.map((tokens, slot) => request(tokens, slot, createRng(slot))), SAMPLED);
    for (const { tokens, automatonStates, stop, logprobs } of legal) {
      expect(stop).toBe("end-of-action");
      expect(tokens.at(-1)).toBe(AUTOMATON.endToken);
      expect(automatonStates[0]).toBe(AUTOMATON.startState);
      // The end is forced: one legal token has log-probability 0.
      expect(logprobs.at(-1)).toBe(0);
    }
    const free = await policy.sample(contexts.map((tokens, slot) => request(tokens, slot, createRng(slot), FREE_STATE)), SAMPLED);
    expect(free.some(({ stop }) => stop === "length")).toBe(true);
    expect(free.every(({ tokens, stop }) => stop === "length" ? tokens.length === 4 : tokens.at(-1) === AUTOMATON.endToken)).toBe(true);
  });

  test("draws follow the probabilities; greedy takes the largest", async () => {
    const policy = await opened();
    const context = [3, 8, 1];
    const probabilities = Array.from(await policy.nextLogprobs([request(context, 0, createRng(0))]), (logprob) => Math.exp(logprob));
    const counts = new Array<number>(13).fill(0);
    const draws = 512;
    for (const { tokens } of await policy.sample(Array.from({ length: draws }, (_, slot) => request(context, slot % 64, createRng(slot + 7))), { greedy: false, maxTokens: 1 })) {
      const first = tokens[0] ?? 0;
      counts[first] = (counts[first] ?? 0) + 1;
    }
    for (const [token, probability] of probabilities.entries())
      expect(Math.abs((counts[token] ?? 0) / draws - probability), `token ${token}`).toBeLessThan(4 * Math.sqrt((probability * (1 - probability)) / draws) + 1e-9);
    const [greedy] = await policy.sample([request(context, 0, createRng(1))], { greedy: true, maxTokens: 4 });
    expect(greedy?.tokens[0]).toBe(probabilities.indexOf(Math.max(...probabilities)));
  });

  test("weight gradients do not depend on the padding, and weights go back to where they were", async () => {
    const policy = await opened();
    const before = await policy.snapshot();
    const batch = randomBatch(createRng(3), [5, 12, 1, 9, 4, 4, 7, 8, 3, 11]);
    const pass = await policy.forward(batch);
    await pass.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
    await expect(policy.forward(batch)).rejects.toThrow("not disposed");
    pass.dispose();
    await policy.applyUpdate(0.01);
    expect(await policy.snapshot()).not.toEqual(before);
    policy.load(before);
    expect(await policy.snapshot()).toEqual(before);
  });

  test.each([8, 24, 64])("%d rows at once through all layers change no bit of statistics, gradients and samples", async (rowsAtOnce) => {
    const batch = randomBatch(createRng(3), [5, 12, 1, 9, 4, 24, 7, 8, 3, 11, 9, 20]);
    const seen = [Infinity, rowsAtOnce].map(async (limit) => {
      const executor = await open();
      // What the executor does not say itself, it does as before.
      const policy = createPolicy(Object.create(executor, { rowsAtOnce: { value: () => limit } }), OPTIONS, createRng(1));
      policy.setReference(await createPolicy(await open(), OPTIONS, createRng(2)).snapshot());
      const pass = await policy.forward(batch);
      await pass.backward({ loss: 0, dLogprobs: batch.advantages, dKl: batch.advantages, metrics: {} });
      pass.dispose();
      const gradient = await policy.gradient();
      return { stats: pass.stats, gradient, samples: await policy.sample(contexts.map((tokens, slot) => request(tokens, slot, createRng(slot))), SAMPLED) };
    });
    const [whole, chunked] = await Promise.all(seen);
    expect(chunked?.stats).toEqual(whole?.stats);
    expect(chunked?.samples).toEqual(whole?.samples);
    // The definition sums in double precision within a call, so only its last bit depends on where calls end.
    const furthest = Math.max(...(chunked?.gradient ?? []).map((slope, index) => Math.abs(slope - (whole?.gradient[index] ?? 0))));
    expect(furthest).toBeLessThanOrEqual(arithmetic === "reference" ? 1e-6 : 0);
    expect(whole?.gradient.some((slope) => slope !== 0)).toBe(true);
  });

  test("going on from an exported state is bit-equal to never having stopped", async () => {
    const batch = randomBatch(createRng(3), [5, 12, 1, 9]);
    const learn = async (policy: EnginePolicy, steps: number): Promise<void> => {
      for (let done = 0; done < steps; done += 1) {
        const pass = await policy.forward(batch);
        await pass.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
        pass.dispose();
        await policy.applyUpdate(0.01);
      }
    };
    const straight = await opened();
    await learn(straight, 3);
    const state = await straight.exportState();
    expect(state.step).toBe(3);
    await learn(straight, 3);

    const resumed = await opened(2);
    await learn(resumed, 1);
    // Gradients that were gathered and never used are no part of a state.
    const open = await resumed.forward(batch);
    await open.backward({ loss: 0, dLogprobs: batch.advantages, metrics: {} });
    open.dispose();
    resumed.importState(structuredClone(state));
    expect(await resumed.exportState()).toEqual(state);
    await learn(resumed, 3);
    expect(await resumed.exportState()).toEqual(await straight.exportState());

    const forgetful = await opened(2);
    forgetful.load(state.weights);
    await learn(forgetful, 3);
    expect(await forgetful.snapshot()).not.toEqual(await straight.snapshot());
    const contextsAsked = contexts.slice(0, 3).map((tokens, slot) => request(tokens, slot, createRng(slot)));
    await forgetful.sample(contextsAsked, SAMPLED);
    forgetful.importState(state);
    resumed.importState(state);
    expect(await forgetful.nextLogprobs(contextsAsked)).toEqual(await resumed.nextLogprobs(contextsAsked));
    expect(() => forgetful.importState({ ...state, first: state.first.slice(1) })).toThrow("the model has");
  });

  test("every buffer is given back", async () => {
    const executor = await open();
    const policy = createPolicy(executor, { ...OPTIONS, model: { ...TINY, valueHead: true } }, createRng(1));
    policy.setReference(await policy.snapshot());
    await policy.sample([request([2, 3], 70, createRng(1))], SAMPLED);
    const pass = await policy.forward(randomBatch(createRng(3), [5, 6]));
    pass.dispose();
    policy.dispose();
    expect([executor.liveBuffers, executor.liveBytes]).toEqual([0, 0]);
  });

  test("a context that is too long or empty is refused in words", async () => {
    const policy = await opened();
    await expect(policy.sample([request(new Array<number>(30).fill(2), 0, createRng(1))], SAMPLED)).rejects.toThrow("leaves no room for an action of 4");
    await expect(policy.sample([request([], 0, createRng(1))], SAMPLED)).rejects.toThrow("allowed are 1 to 32");
  });
});
