import { mulberry32 } from "#core/mulberry32.ts";
import { bootstrapInterval } from "#core/statistics.ts";
import { PRESETS } from "#run/run-config.ts";
import { withArena } from "../arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { FULL_TRUTH } from "#trainer/truth.ts";
import { checkpointFor, openExecutor } from "../host.ts";
import type { Check } from "./registry.ts";
import { truthRuns } from "./truth-runs.ts";

const GROUPS = 250;
const SIZE = 8;
const TURNS = 8;
/** Less is expanded than a person is shown, more is played on from: what is sampled must be without bias as well. */
const FORM = { ...FULL_TRUTH, worlds: 16, maxNodes: 1000, branchNodes: 1000 };
/** Nine intervals, so that all of them hold with about 95 %. */
const LEVEL = 0.995;

/**
 * Over 2,000 trajectories of the base policy: mean (outcome − start) and mean luck per turn index are zero within their intervals.
 * What is resampled are groups, whose members share a hidden world, by their sums over members.
 */
export const truthBalances: Check = {
  async run(progress) {
    const config = PRESETS["refund-desk"];
    const checkpoint = await checkpointFor("base", config.preset);
    const executor = await openExecutor("wasm", "simd128");
    return withArena(config, async (arena) => {
      const policy = openPolicy(executor, config, arena, checkpoint);
      const sums: number[][] = Array.from({ length: TURNS + 1 }, () => []);
      let [widest, done] = [0, 0];
      for await (const { members } of truthRuns(arena, policy, FORM, GROUPS, SIZE, 17)) {
        const row = sums.map(() => 0);
        for (const { success, truth: { turns: { start, skill, luck } } } of members) {
          const total = start + skill.reduce((a, b) => a + b, 0) + luck.reduce((a, b) => a + b, 0);
          widest = Math.max(widest, Math.abs(total - (success ? 1 : 0)));
          row[0] = (row[0] ?? 0) + (success ? 1 : 0) - start;
          for (const [turn, value] of luck.entries()) row[turn + 1] = (row[turn + 1] ?? 0) + value;
        }
        for (const [index, value] of row.entries()) sums[index]?.push(value / SIZE);
        done += 1;
        if (done % 25 === 0) progress(`${done} of ${GROUPS} groups`);
      }
      const figures: Record<string, number | string> = { trajectories: GROUPS * SIZE, "largest |start + Σ(skill + luck) − outcome|": widest };
      let passed = widest < 1e-5;
      for (const [index, values] of sums.entries()) {
        const { mean, low, high } = bootstrapInterval(values, 4000, LEVEL, mulberry32(index + 1));
        figures[index === 0 ? "mean outcome − start" : `mean luck of turn ${index}`] = `${mean.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]`;
        passed &&= low <= 0 && high >= 0;
      }
      return { passed, figures };
    });
  },
};
