import { mean } from "#core/statistics.ts";
import { PRESETS } from "#run/run-config.ts";
import { withArena } from "../arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { train } from "#trainer/train.ts";
import { FULL_TRUTH } from "#trainer/truth.ts";
import { checkpointFor, openExecutor } from "../host.ts";
import type { Check } from "./registry.ts";
import { finished } from "./training.ts";
import { truthRuns, type TruthRun } from "./truth-runs.ts";

const GROUPS = 12;
const SIZE = 8;
/** Seconds for a group of eight, and mean half-width of skill. */
const MOST = { base: { seconds: 10, halfWidth: 0.05 }, trained: { seconds: 2, halfWidth: 0.02 } } as const;

/** Groups of eight of the base policy and of one trained from it, on one thread: how long truth takes, and how exact it is. */
export const truthSpeed: Check = {
  async run(progress) {
    const config = PRESETS["refund-desk"];
    const checkpoint = await checkpointFor("base", config.preset);
    const executor = await openExecutor("wasm", "simd128");
    return withArena(config, async (arena) => {
      const policy = openPolicy(executor, config, arena, checkpoint);
      const figures: Record<string, number | string> = {};
      let passed = true;
      const measure = async (name: keyof typeof MOST): Promise<void> => {
        const runs: TruthRun[] = [];
        for await (const run of truthRuns(arena, policy, FULL_TRUTH, GROUPS, SIZE, 23)) runs.push(run);
        const labels = runs.flatMap(({ members }) => members.flatMap(({ truth }) => truth.labels));
        const seconds = runs.map((run) => run.seconds);
        const halfWidth = mean(labels.map((label) => label.halfWidth));
        const most = Math.max(...seconds);
        figures[`${name}, seconds a group: mean`] = round(mean(seconds));
        figures[`${name}, seconds a group: most`] = round(most);
        figures[`${name}, mean half-width of skill`] = round(halfWidth);
        figures[`${name}, share of exact turns`] = round(labels.filter(({ kind }) => kind === "exact").length / labels.length);
        passed &&= most <= MOST[name].seconds && halfWidth <= MOST[name].halfWidth;
        progress(`${name}: ${round(mean(seconds))} s a group, at most ${round(most)}, half-width ${round(halfWidth)}`);
      };
      await measure("base");
      const events = [];
      for await (const event of train(config, { arena, policy, now: () => performance.now(), gate: () => Promise.resolve() })) events.push(event);
      figures["trained, heldout pass^1"] = round(finished(events).heldout.passHatK[0] ?? 0);
      await measure("trained");
      return { passed, figures };
    });
  },
};

const round = (value: number): number => Math.round(value * 1e4) / 1e4;
