import { beforeAll, expect, test } from "vitest";
import type { Executor } from "#engine/executor.ts";
import { withArena } from "#trainer/arena.ts";
import { evaluate, EVALUATION_SEED } from "#trainer/evaluate.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { playTaskWith, type TaskPlay } from "#trainer/play-task.ts";
import { firstDifference } from "#store/compare/aligned.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { SMALL_RUN } from "./runs.ts";

const config = { ...SMALL_RUN, evaluation: { every: 2, tasks: 6, trials: 4 } };

let executor: Executor;
beforeAll(async () => {
  executor = await wasmExecutor("simd128");
});

const play = (weights: Float32Array<ArrayBuffer>, task: number, trial: number): Promise<TaskPlay> => withArena(config, (arena) => playTaskWith(executor, arena, { config, weights, task, trial }));

const blank = (seed: number): Promise<Float32Array<ArrayBuffer>> =>
  withArena(config, async (arena) => {
    const policy = openPolicy(executor, { ...config, seed }, arena, undefined);
    const weights = await policy.snapshot();
    policy.dispose();
    return weights;
  });

test("played alone, every trial of a held-out evaluation ends as it did among all of them", async () => {
  const weights = await blank(3);
  const report = await withArena(config, async (arena) => {
    const policy = openPolicy(executor, { ...config, seed: 3 }, arena, undefined);
    const told = await evaluate(arena, policy, { split: "heldout", tasks: 6, trials: 4, greedy: false, seed: EVALUATION_SEED }, () => Promise.resolve());
    policy.dispose();
    return told;
  });
  const successes: number[] = [];
  let turns = 0;
  for (let task = 0; task < 6; task += 1) {
    const plays = [await play(weights, task, 0), await play(weights, task, 1), await play(weights, task, 2), await play(weights, task, 3)];
    successes.push(plays.filter(({ member }) => member.success).length);
    turns += plays.reduce((sum, { member }) => sum + member.turns.length, 0);
    expect(new Set(plays.map(({ taskId }) => taskId)).size).toBe(1);
  }
  expect(successes).toEqual(report.successes);
  expect(turns / 24).toBe(report.meanTurns);
}, 60_000);

test("one policy meets the same numbers twice; two policies part where they choose differently, and up to there saw the same", async () => {
  const [a, b] = [await blank(3), await blank(4)];
  const [first, again, other] = [await play(a, 1, 2), await play(a, 1, 2), await play(b, 1, 2)];
  expect(again).toEqual(first);
  expect(firstDifference(first.member, again.member)).toBeNull();
  expect(other.taskId).toBe(first.taskId);
  expect(other.first).toEqual(first.first);
  const parted = firstDifference(first.member, other.member);
  expect(parted).not.toBeNull();
  for (let turn = 0; turn < (parted ?? 0); turn += 1) expect(other.member.turns[turn]?.observation).toEqual(first.member.turns[turn]?.observation);
  // What was seen and chosen can be opened.
  const turn = first.member.turns[0];
  expect(first.member.sequences[turn?.sequence ?? 0]?.slice(turn?.start, turn?.end).some(({ sampled, alternatives }) => sampled && (alternatives?.length ?? 0) > 1)).toBe(true);
}, 60_000);

test("weights of another size, and tasks that are not evaluated on, are refused", async () => {
  const weights = await blank(3);
  await expect(play(weights.slice(1), 0, 0)).rejects.toThrow(`there are ${weights.length - 1} weights; the settings need ${weights.length}`);
  await expect(play(weights, 6, 0)).rejects.toThrow("task 6, trial 0 was asked for; the run is evaluated on 6 tasks with 4 trials each");
  await expect(play(weights, 0, 4)).rejects.toThrow("task 0, trial 4 was asked for");
});
