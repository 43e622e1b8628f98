import { expect, test } from "vitest";
import { readFile } from "node:fs/promises";
import { readCheckpoint } from "#engine/checkpoint.ts";
import type { Executor } from "#engine/executor.ts";
import { refuseUnfit } from "#engine/memory.ts";
import { basePolicyOf } from "#run/base-policy.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import { withArena, type JudgedRollout } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { plannedMemory, sizeOf } from "#trainer/planned-memory.ts";
import { withRemedy } from "#trainer/remedy.ts";
import { train } from "#trainer/train.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";

for (const preset of ["refund-desk", "sokoban"] as const)
  test(`${preset}: what an update takes was known from the length of trajectories, within 15 %`, async () => {
    const config: RunConfig = { ...PRESETS[preset], updates: 1, evaluation: { every: 1, tasks: 64, trials: 2 } };
    const inner = await wasmExecutor("simd128");
    let peak = 0;
    const alloc: Executor["alloc"] = (...wanted) => {
      const buffer = inner.alloc(...wanted);
      peak = Math.max(peak, inner.liveBytes);
      return buffer;
    };
    const executor: Executor = Object.create(inner, { alloc: { value: alloc } });
    const checkpoint = readCheckpoint(await readFile(new URL(`../../../public/policies/${basePolicyOf(config.preset)}.safetensors`, import.meta.url)));
    await withArena(config, async (arena) => {
      const policy = openPolicy(executor, config, arena, checkpoint);
      const seen: JudgedRollout[] = [];
      for await (const _event of train(config, { arena, policy, now: () => 0, gate: () => Promise.resolve(), watch: ({ judged }) => seen.push(...judged) })) continue;
      // Groups without signal are sampled and not learnt from.
      const { groupSize } = config.algorithm;
      const groups = Array.from({ length: seen.length / groupSize }, (_, group) => seen.slice(group * groupSize, (group + 1) * groupSize));
      const paid = groups.filter((members) => new Set(members.map(({ verdict }) => verdict.success)).size === 2);
      expect(paid.length).toBeGreaterThan(4);
      const planned = plannedMemory({ ...config, algorithm: { ...config.algorithm, groupsPerUpdate: paid.length } }, arena, executor, sizeOf(paid.flat()));
      expect(planned / peak).toBeGreaterThan(0.85);
      expect(planned / peak).toBeLessThan(1.15);
    });
  });

test("a run that will not fit is refused with the setting that would help", () => {
  const error: unknown = (() => {
    try {
      refuseUnfit("this run", 3e9, 2 ** 31);
    } catch (fault) {
      return fault;
    }
    return undefined;
  })();
  expect(withRemedy(error, PRESETS["refund-desk"])).toMatchObject({ message: expect.stringContaining("3,000 MB, and there are 2,147 MB. algorithm.groupsPerUpdate"), detail: { setting: "algorithm.groupsPerUpdate" } });
  expect(() => refuseUnfit("this run", 2 ** 31, 2 ** 31)).not.toThrow();
  expect(() => refuseUnfit("this run", 1e15, Infinity)).not.toThrow();
});
