import { mean } from "#core/statistics.ts";
import { PRESETS } from "#run/run-config.ts";
import { withArena } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { FULL_TRUTH } from "#trainer/truth.ts";
import { checkpointFor, openExecutor } from "../host.ts";
import type { Check } from "./registry.ts";
import { truthRuns } from "./truth-runs.ts";

const GROUPS = 16;
const SIZE = 8;
const MOST_SECONDS = 1;

/** Groups of eight in rooms of 4 × 4, base policy, one thread: all turns exact, and how long it takes. */
export const sokobanTruth: Check = {
  async run(progress) {
    const config = PRESETS.sokoban;
    const checkpoint = await checkpointFor("base", config.preset);
    const executor = await openExecutor("wasm", "simd128");
    return withArena(config, async (arena) => {
      const policy = openPolicy(executor, config, arena, checkpoint);
      const seconds: number[] = [];
      const exact: number[] = [];
      let widest = 0;
      for await (const { members, seconds: took } of truthRuns(arena, policy, FULL_TRUTH, GROUPS, SIZE, 29)) {
        seconds.push(took);
        const labels = members.flatMap(({ truth }) => truth.labels);
        exact.push(...labels.map(({ kind }) => (kind === "exact" ? 1 : 0)));
        widest = Math.max(widest, ...labels.map(({ halfWidth }) => halfWidth));
        progress(`${took.toFixed(2)} s, ${labels.filter(({ kind }) => kind === "exact").length} of ${labels.length} turns exact`);
      }
      const most = Math.max(...seconds);
      return {
        passed: most <= MOST_SECONDS && mean(exact) === 1,
        figures: { groups: GROUPS, "seconds a group: mean": Number(mean(seconds).toFixed(3)), "seconds a group: most": Number(most.toFixed(3)), "share of exact turns": mean(exact), "widest half-width of skill": Number(widest.toFixed(4)) },
      };
    });
  },
};
