import { describe, expect, test } from "vitest";
import recorded from "../../fixtures/small-run.json" with { type: "json" };
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import type { RunEvent } from "#run/run-event.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { digest, eventsOn, eventsUntil, SMALL_RUN } from "./runs.ts";

type Of<K extends RunEvent["type"]> = Extract<RunEvent, { type: K }>;
const pick = <K extends RunEvent["type"]>(events: readonly RunEvent[], type: K): readonly Of<K>[] => events.filter((event): event is Of<K> => event.type === type);

describe("a run", () => {
  test("is the recorded one, event by event, in simd128: twice here, and in the browser's tests", async () => {
    const first = digest(await eventsOn(await wasmExecutor("simd128"), SMALL_RUN));
    expect(digest(await eventsOn(await wasmExecutor("simd128"), SMALL_RUN))).toEqual(first);
    expect(first).toEqual(recorded.events);
  });

  test("is another one under another seed", async () => {
    const events = digest(await eventsOn(await wasmExecutor("simd128"), { ...SMALL_RUN, seed: 12 }));
    // Evaluations meet the same tasks in every run; before anything is learnt the scripted agent's is the very same.
    expect(events.filter((event, index) => event === recorded.events[index] && !event.startsWith("evaluation"))).toEqual([]);
  });

  test("tells its story in order", async () => {
    const events = await eventsOn(await wasmExecutor("simd128"), SMALL_RUN);
    expect(events.map(({ type }) => type)).toEqual([
      "run-started", "group", "evaluation", "evaluation", "update", "group", "update", "checkpoint", "evaluation", "group", "update", "checkpoint", "evaluation", "run-finished",
    ]);
    const [finished] = pick(events, "run-finished");
    const updates = pick(events, "update");
    expect(finished?.trajectories).toBe(3 * 64);
    expect(finished?.tokens).toBe(updates.reduce((sum, { metrics }) => sum + metrics.tokens, 0));
    expect(pick(events, "evaluation").map(({ subject, update }) => `${subject} ${update}`)).toEqual(["base 0", "prompted 0", "current 2", "current 3"]);
    expect(finished?.heldout).toEqual(pick(events, "evaluation").at(-1)?.report);
    // The first step starts from the policy that sampled: ratios are 1, nothing is clipped, KL is 0.
    const first = await eventsOn(await wasmExecutor("simd128"), { ...SMALL_RUN, updates: 1, algorithm: { ...SMALL_RUN.algorithm, minibatches: 1 } });
    expect(pick(first, "update")[0]?.metrics).toMatchObject({ clipFraction: 0, kl: 0 });
  });

  test.each([1, 2, 3])("goes on after update %d as if it had never stopped, with a reference policy too", async (at) => {
    const config = { ...SMALL_RUN, algorithm: { ...SMALL_RUN.algorithm, objective: { ...SMALL_RUN.algorithm.objective, klCoefficient: 0.05 } } };
    const { events, resume } = await eventsUntil(await wasmExecutor("simd128"), config, at);
    const rest = digest(await eventsOn(await wasmExecutor("simd128"), config, structuredClone(resume)));
    const whole = digest(await eventsOn(await wasmExecutor("simd128"), config));
    expect([...digest(events), ...rest]).toEqual(whole);
  });

  test("reports groups a reader can recount", async () => {
    const events = await eventsOn(await wasmExecutor("simd128"), SMALL_RUN);
    for (const { group } of pick(events, "group")) {
      const rewards = group.members.map(({ reward }) => reward);
      const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
      expect(group.informative).toBe(rewards.some((reward) => reward !== rewards[0]));
      for (const { reward, success, turns, sequences } of group.members) {
        expect(reward).toBe(success ? 1 : 0);
        for (const { credit, start, end, sequence } of turns) {
          // Flat credit: above the mean is paid, below is charged, every turn alike.
          expect(Math.sign(credit)).toBe(group.informative ? Math.sign(reward - mean) : 0);
          expect(sequences[sequence]?.slice(start, end).every(({ sampled }) => sampled)).toBe(true);
        }
        expect(sequences.flat().filter(({ sampled }) => sampled).length).toBe(turns.reduce((sum, { start, end }) => sum + end - start, 0));
      }
    }
  });

  test("has groups without signal, and learns nothing, where every reward is equal", async () => {
    const events = await eventsOn(await wasmExecutor("simd128"), { ...SMALL_RUN, updates: 2, harness: { ...SMALL_RUN.harness, constrained: false } });
    for (const { metrics } of pick(events, "update")) expect(metrics).toMatchObject({ noSignalShare: 1, allZeroShare: 1, gradNorm: null, loss: null });
    const [started, ...checkpoints] = events.flatMap((event) => ("fingerprint" in event ? [event.fingerprint] : []));
    expect(new Set(checkpoints)).toEqual(new Set([started]));
  });

  test("runs on the reference executor too", async () => {
    const tiny = { ...SMALL_RUN, updates: 1, algorithm: { ...SMALL_RUN.algorithm, groupsPerUpdate: 2, groupSize: 2 }, policy: { ...SMALL_RUN.policy, layers: 1 }, evaluation: { every: 1, tasks: 1, trials: 1 } };
    const [reference, wasm] = [await eventsOn(createReferenceExecutor(), tiny), await eventsOn(await wasmExecutor("simd128"), tiny)];
    expect(pick(reference, "run-started")[0]?.arithmetic).toBe("reference");
    expect(pick(reference, "update")[0]?.metrics.tokens).toBe(pick(wasm, "update")[0]?.metrics.tokens);
  });

  test("a loss that is not finite ends the run with a remedy, and nothing is learnt from it", async () => {
    const wild = { ...SMALL_RUN, updates: 60, algorithm: { ...SMALL_RUN.algorithm, learningRate: 0.01, maxGradNorm: 100 } };
    const executor = await wasmExecutor("simd128");
    // Weights this large overflow the logits.
    const { withArena } = await import("#trainer/arena.ts");
    const { openPolicy } = await import("#trainer/open-policy.ts");
    const { train } = await import("#trainer/train.ts");
    await withArena(wild, async (arena) => {
      const policy = openPolicy(executor, wild, arena, undefined);
      policy.load((await policy.snapshot()).map((weight) => weight * 1e30));
      const run = train(wild, { arena, policy, now: () => 0, gate: () => Promise.resolve() });
      await expect((async () => { for await (const event of run) void event; })()).rejects.toThrow(/is NaN|learning rate/);
    });
  });
});
