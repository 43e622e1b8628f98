import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import { mean } from "#core/statistics.ts";
import { PRESETS } from "#run/run-config.ts";
import { playAll, withArena } from "#trainer/arena.ts";
import { evaluate } from "#trainer/evaluate.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { practise } from "#trainer/scorer/in-run.ts";
import { networksOf } from "#trainer/scorer/open.ts";
import { checkpointFor } from "../../../src/cli/host.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";

const config = PRESETS["refund-desk-one-turn"];
const gate = (): Promise<void> => Promise.resolve();

test("the one-turn desk's base policy knows the work but is unreliable: greedy at least 0.75, sampled 0.5 to 0.7", async () => {
  const executor = await wasmExecutor("simd128");
  const checkpoint = await checkpointFor("base", config.preset);
  await withArena(config, async (arena) => {
    const report = await evaluate(arena, openPolicy(executor, config, arena, checkpoint), { split: "heldout", tasks: 256, trials: 8, greedy: true, seed: 0 }, gate);
    expect(report.greedy).toBeGreaterThanOrEqual(0.75);
    expect(report.passHatK[0]).toBeGreaterThan(0.5);
    expect(report.passHatK[0]).toBeLessThan(0.7);
    expect([report.meanTurns, report.failed]).toEqual([1, 0]);
  });
}, 60_000);

test("its judge, having practised, tells held-out successes from failures, which it could not before", async () => {
  const executor = await wasmExecutor("simd128");
  const checkpoint = await checkpointFor("base", config.preset);
  await withArena(config, async (arena) => {
    const policy = openPolicy(executor, config, arena, checkpoint);
    const networks = await networksOf(config, arena, executor, policy);
    const rng = createRng(7);
    const tasks = arena.tasks("heldout", 96, rng.fork("tasks"));
    const rollouts = await playAll(arena, tasks.flatMap((task, group) => Array.from({ length: 8 }, (_, member) => arena.spec(task, `${group}`, rng.fork(`${group}/${member}`), 0))), policy, { greedy: false });
    const groups = tasks.map((_, group) => ({ members: rollouts.slice(group * 8, (group + 1) * 8) }));
    const ordered = async (): Promise<number> => {
      const scores = await networks.rewarding!.score(groups);
      return mean(groups.flatMap(({ members }, group) => members.flatMap((won, a) => members.flatMap((lost, b) => {
        const lead = (scores[group]![a]!.modelScores.at(-1) ?? 0) - (scores[group]![b]!.modelScores.at(-1) ?? 0);
        return won.verdict.success && !lost.verdict.success ? [lead === 0 ? 0.5 : Number(lead > 0)] : [];
      }))));
    };
    expect(await ordered()).toBe(0.5);
    await practise(config, { arena, policy, networks, gate }, rng.fork("practice"));
    expect(await ordered()).toBeGreaterThan(0.6);
    networks.dispose();
    policy.dispose();
  });
}, 240_000);
