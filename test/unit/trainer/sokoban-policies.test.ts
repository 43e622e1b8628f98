import { describe, expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { withArena } from "#trainer/arena.ts";
import { evaluate } from "#trainer/evaluate.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { train } from "#trainer/train.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";

const gate = (): Promise<void> => Promise.resolve();

describe("the shipped base policies", () => {
  // Greedy far above the scripted agent in the manner of a prompted model, sampled with something left to learn.
  test.each([["sokoban", 0.78, 0.85], ["sokoban-5x5", 0.62, 0.8], ["sokoban-two-boxes", 0.4, 0.75]] as const)("%s: greedy at least %f, sampled at most %f", async (preset, greedy, sampled) => {
    const config = PRESETS[preset];
    const executor = await wasmExecutor("simd128");
    const checkpoint = await checkpointFor("base", config.preset);
    await withArena(config, async (arena) => {
      const report = await evaluate(arena, openPolicy(executor, config, arena, checkpoint), { split: "heldout", tasks: 192, trials: 2, greedy: true, seed: 0 }, gate);
      expect(report.greedy).toBeGreaterThanOrEqual(greedy);
      expect(report.passHatK[0]).toBeLessThanOrEqual(sampled);
      expect(report.failed).toBe(0);
    });
  }, 120_000);
});

// The full form, 512 held-out levels: npm run verify -- sokoban-learns
test("twenty updates from the base help: success of the last eight is well above the first two", async () => {
  const config = { ...PRESETS.sokoban, updates: 20, evaluation: { every: 1000, tasks: 8, trials: 1 } };
  const executor = await wasmExecutor("simd128");
  const checkpoint = await checkpointFor("base", config.preset);
  await withArena(config, async (arena) => {
    const success: number[] = [];
    for await (const event of train(config, { arena, policy: openPolicy(executor, config, arena, checkpoint), now: () => 0, gate })) if (event.type === "update") success.push(event.metrics.success);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(success.slice(-8)) - mean(success.slice(0, 2))).toBeGreaterThan(0.03);
  });
}, 180_000);
