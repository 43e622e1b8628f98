import { expect, test } from "vitest";
import { PRESETS } from "#run/run-config.ts";
import { withArena } from "#trainer/arena.ts";
import { evaluate } from "#trainer/evaluate.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { train } from "#trainer/train.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";

const config = PRESETS["refund-desk"];
const gate = (): Promise<void> => Promise.resolve();
const checkpoint = await checkpointFor("base", config.preset);

test("the shipped base policy knows the work but is unreliable: greedy at least 0.75, sampled 0.40 to 0.60", async () => {
  const executor = await wasmExecutor("simd128");
  await withArena(config, async (arena) => {
    const report = await evaluate(arena, openPolicy(executor, config, arena, checkpoint), { split: "heldout", tasks: 256, trials: 8, greedy: true, seed: 0 }, gate);
    expect(report.greedy).toBeGreaterThanOrEqual(0.75);
    expect(report.passHatK[0]).toBeGreaterThanOrEqual(0.4);
    expect(report.passHatK[0]).toBeLessThanOrEqual(0.6);
    // pass^k falls, pass@k rises, from one point; each mean lies in its interval.
    for (let k = 1; k < 8; k += 1) {
      expect(report.passHatK[k]).toBeLessThan(report.passHatK[k - 1] ?? 0);
      expect(report.passAtK[k]).toBeGreaterThan(report.passAtK[k - 1] ?? 1);
    }
    expect(report.passHatK[0]).toBe(report.passAtK[0]);
    expect(report.passHatK[0]).toBeCloseTo(report.successes.reduce((sum, count) => sum + count, 0) / (256 * 8), 10);
    for (const [k, [low, high]] of report.passHatKInterval.entries()) {
      expect(low).toBeLessThan(report.passHatK[k] ?? 0);
      expect(high).toBeGreaterThan(report.passHatK[k] ?? 1);
    }
  });
}, 60_000);

// The full form, three seeds to the end: npm run verify -- refund-desk-learns
test("thirty updates from it already help: success of the last five is at least 0.15 above the first five", async () => {
  const executor = await wasmExecutor("simd128");
  const short = { ...config, updates: 30, evaluation: { every: 1000, tasks: 8, trials: 2 } };
  await withArena(short, async (arena) => {
    const success: number[] = [];
    for await (const event of train(short, { arena, policy: openPolicy(executor, short, arena, checkpoint), now: () => 0, gate })) if (event.type === "update") success.push(event.metrics.success);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(success.slice(-5)) - mean(success.slice(0, 5))).toBeGreaterThan(0.15);
  });
}, 120_000);
