import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { createRng } from "#core/rng.ts";
import type { EpisodeSpec } from "#harness/episode.ts";
import { HARNESS_MAKERS } from "#harness/implementations.ts";
import { HARNESSES } from "#harness/registry.ts";
import { rollouts } from "#harness/scheduler.ts";
import { BOXES_TOOLS, BOXES_WORDS, boxesTask, createBoxes, type BoxesState, type BoxesTask } from "./fixtures/boxes.ts";
import { DrawingPolicy } from "./fixtures/drawing-policy.ts";

const entry = HARNESSES["tool-loop"];
const harness = HARNESS_MAKERS[entry.id](BOXES_TOOLS, BOXES_WORDS);
const specs = (count: number, constrained = true, seed = 0): EpisodeSpec<BoxesTask, BoxesState>[] => {
  const environments = [createBoxes(), createBoxes({ asynchronous: true })];
  return Array.from({ length: count }, (_, index) => ({
    environment: environments[index % 2] ?? createBoxes(), harness, task: boxesTask("blue"), groupId: `group-${index}`, policyVersion: 0,
    budget: { turns: 6, tokens: 64, retries: 2 }, rng: createRng(seed).fork(`sample/${index}`), constrained, varyWording: true,
  }));
};

describe("scheduler", () => {
  it("gives the same results, in order, whatever runs together", async () => {
    await fc.assert(fc.asyncProperty(fc.nat(), fc.boolean(), fc.integer({ min: 1, max: 9 }), async (seed, constrained, concurrency) => {
      const alone = await rollouts(specs(7, constrained, seed), new DrawingPolicy(harness.automaton), { greedy: false, concurrency: 1 });
      const policy = new DrawingPolicy(harness.automaton);
      const together = await rollouts(specs(7, constrained, seed), policy, { greedy: false, concurrency });
      expect(together).toEqual(alone);
      expect(together.map(({ trajectory }) => trajectory.groupId)).toEqual(specs(7).map(({ groupId }) => groupId));
      expect(policy.largestBatch).toBe(Math.min(concurrency, 7));
    }), { numRuns: 25 });
  });

  it("keeps an episode in its slot and hands the slot on when it ends", async () => {
    const policy = new DrawingPolicy(harness.automaton);
    await rollouts(specs(10), policy, { greedy: false, concurrency: 3 });
    const previous = new Map<number, Uint32Array>();
    let handedOn = 0;
    for (const { slot, tokens } of policy.asked) {
      expect(slot).toBeLessThan(3);
      const before = previous.get(slot);
      if (before !== undefined && before.some((token, index) => tokens[index] !== token)) handedOn += 1;
      else if (before !== undefined && tokens.length <= before.length) handedOn += 1;
      previous.set(slot, tokens);
    }
    expect(handedOn).toBe(7);
  });

  it("counts rounds, waits between them, and stops when aborted", async () => {
    const signal = { aborted: false };
    const rounds: number[] = [];
    const onRound = async ({ finished, total }: { finished: number; total: number }) => {
      expect(total).toBe(9);
      rounds.push(finished);
      await Promise.resolve();
      if (finished >= 4) signal.aborted = true;
    };
    const run = rollouts(specs(9), new DrawingPolicy(harness.automaton), { greedy: false, concurrency: 2, signal, onRound });
    await expect(run).rejects.toThrow(/aborted after \d of 9/);
    expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
    expect(rounds.length).toBeGreaterThan(2);
  });

  it("samples nothing while it is paused", async () => {
    const policy = new DrawingPolicy(harness.automaton);
    let resume = (): void => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const run = rollouts(specs(4), policy, { greedy: false, onRound: () => paused });
    for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
    expect(policy.asked.length).toBe(4);
    resume();
    await run;
    expect(policy.asked.length).toBeGreaterThan(4);
  });

  it("has nothing to do for no episodes and refuses a policy that answers too little", async () => {
    expect(await rollouts([], new DrawingPolicy(harness.automaton), { greedy: false })).toEqual([]);
    await expect(rollouts(specs(2), { sample: async () => [] }, { greedy: false })).rejects.toThrow(/asked for 2 actions and gave 0/);
  });
});

describe("registry", () => {
  it("checks its settings", () => {
    expect(v.parse(entry.schema, entry.defaults)).toEqual({ constrained: true, varyWording: false, turns: 8, retries: 3 });
    for (const bad of [{ turns: 0 }, { turns: 17 }, { turns: 1.5 }, { retries: 9 }, { constrained: "yes" }]) {
      expect(v.safeParse(entry.schema, { ...entry.defaults, ...bad }).success).toBe(false);
    }
  });
});
