import { expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { EvaluationReport, RunEvent, TurnRecord } from "#run/run-event.ts";
import { firstDifference } from "#store/compare/aligned.ts";
import { endRows, heldoutRows, lineEnds, spread } from "#store/compare/curves.ts";
import { mostDifferent, taskDifferences } from "#store/compare/difference.ts";
import { stateOf, type ComparedEntry, type LoadedRun } from "#store/compare/entry.ts";
import { differingSettings } from "#store/compare/settings.ts";
import { bySeedless, oneASeed } from "#store/seed-groups.ts";

const base = PRESETS["refund-desk"];

const report = (successes: readonly number[], trials = 4): EvaluationReport => {
  const rate = successes.reduce((sum, count) => sum + count, 0) / successes.length / trials;
  return {
    split: "heldout", tasks: successes.length, trials, successes, passHatK: [rate, rate * rate], passAtK: [rate, rate], passHatKInterval: [[0, 1], [0, 1]], passAtKInterval: [[0, 1], [0, 1]],
    greedy: null, checks: {}, monitors: {}, meanTurns: 3, failed: 0,
  };
};
const evaluation = (update: number, successes: readonly number[]): RunEvent => ({ type: "evaluation", update, subject: update === 0 ? "base" : "current", report: report(successes), timing: { seconds: 0 } });

function run(config: RunConfig, evaluations: readonly (readonly [number, readonly number[]])[]): LoadedRun {
  return { name: `${config.seed}`, config, weights: null, changes: [], state: stateOf(config, evaluations.map(([update, successes]) => evaluation(update, successes))) };
}
const entry = (...runs: readonly LoadedRun[]): ComparedEntry => ({ title: "entry", runs });
const seeded = (seed: number): RunConfig => ({ ...base, seed });

test("runs are grouped by everything except the seed; the same seed twice is one seed, the one that got furthest", () => {
  const kept = (config: RunConfig, update: number, changedAfter: readonly number[] = []) => ({ config, update, changedAfter });
  const runs = [kept(seeded(2), 5), kept({ ...base, updates: 9 }, 9), kept(seeded(1), 3), kept(seeded(2), 7)];
  const groups = bySeedless(runs);
  expect(bySeedless([kept(seeded(2), 1), kept(seeded(2), 1)])).toHaveLength(2);
  // Settings that were changed on the way are no settings that seeds have in common.
  expect(bySeedless([kept(seeded(2), 5, [3]), kept(seeded(1), 5, [3])])).toHaveLength(2);
  expect(groups.map((group) => group.map(({ config, update }) => [config.seed, update]))).toEqual([[[2, 5], [1, 3], [2, 7]], [[base.seed, 9]]]);
  expect(oneASeed(groups[0] ?? []).map(({ config, update }) => [config.seed, update])).toEqual([[1, 3], [2, 7]]);
});

test("only settings that differ are told; of an entry with other settings than the rest, what it lacks is left open", () => {
  const flat = run(seeded(1), []);
  const slower = run({ ...base, algorithm: { ...base.algorithm, learningRate: 1e-4, credit: { ...CREDIT_ASSIGNERS.flat.defaults, id: "flat", std: "none" } } }, []);
  const other = run({ ...base, algorithm: { ...base.algorithm, credit: { id: "random" } as RunConfig["algorithm"]["credit"] } }, []);
  const rows = differingSettings([entry(flat), entry(slower), entry(other)]);
  expect(rows.find(({ path }) => path === "algorithm.learningRate")?.values).toEqual([5e-4, 1e-4, 5e-4]);
  expect(rows.find(({ path }) => path === "algorithm.credit")?.values).toEqual(["flat", "flat", "random"]);
  const variant = rows.find(({ path }) => path.startsWith("algorithm.credit."));
  expect(variant?.values[2]).toBeUndefined();
  expect(rows.some(({ path }) => path === "seed")).toBe(false);
  expect(differingSettings([entry(flat), entry(flat)])).toEqual([]);
});

test("of seeds all are named, and only where they are not the same ones", () => {
  const [one, two] = [run(seeded(1), []), run(seeded(2), [])];
  expect(differingSettings([entry(one, two), entry(one)])).toEqual([{ path: "seed", values: ["1, 2", "1"] }]);
  expect(differingSettings([entry(one, two), entry(one, two)])).toEqual([]);
});

test("curves: mean and range over seeds where all have a number, no range for one run, members kept", () => {
  const sweep = entry(run(seeded(1), [[0, [0, 2]], [2, [4, 2]], [4, [4, 4]]]), run(seeded(2), [[0, [0, 2]], [2, [2, 0]]]));
  const single = entry(run({ ...base, updates: 9 }, [[0, [0, 2]], [3, [4, 4]]]));
  const rows = heldoutRows([sweep, single]);
  expect(rows.map(({ x }) => x)).toEqual([0, 2, 3, 4]);
  expect(rows.map(({ means }) => means)).toEqual([[0.25, 0.25], [0.5, null], [null, 1], [null, null]]);
  expect(rows[1]?.ranges).toEqual([[0.25, 0.75], null]);
  expect(rows[3]?.members).toEqual([[1, null], [null]]);
  expect(lineEnds(rows)).toEqual([{ entry: 0, x: 2, value: 0.5 }, { entry: 1, x: 3, value: 1 }]);
  expect(endRows([sweep, single]).map(({ x, means }) => [x, means])).toEqual([[1, [(1 + 0.25) / 2, 1]], [2, [(1 + 0.0625) / 2, 1]]]);
});

test("labels keep their order and distance, and stay inside", () => {
  expect(spread([10, 12, 60], 14, 0, 100)).toEqual([10, 24, 60]);
  expect(spread([90, 95, 99], 14, 0, 100)).toEqual([72, 86, 100]);
  expect(spread([-5, 2], 14, 0, 100)).toEqual([0, 14]);
});

test("the difference is taken task by task, seeds averaged, newest evaluation", () => {
  const first = entry(run(seeded(1), [[2, [0, 0, 0, 0]], [4, [0, 4, 2, 1]]]));
  const second = entry(run({ ...base, updates: 9 }, [[4, [4, 4, 2, 0]]]), run({ ...base, updates: 9, seed: 5 }, [[4, [0, 4, 4, 0]]]));
  const [difference] = taskDifferences([first, second]);
  if (difference?.kind !== "difference") throw new Error("refused");
  expect(difference.rates).toEqual([[0, 1, 0.5, 0.25], [0.5, 1, 0.75, 0]]);
  expect(difference.mean).toBeCloseTo((0.5 + 0 + 0.25 - 0.25) / 4, 12);
  expect(difference).toMatchObject({ entry: 1, tasks: 4, better: 2, worse: 1, equal: 1, side: "not-separated" });
  expect(mostDifferent(difference.rates)).toEqual([0, 2, 3, 1]);
});

test.each([
  ["another environment", run(PRESETS.sokoban, [[4, [1, 2]]]), "different environments, refund-desk and sokoban"],
  ["other settings of it", run(PRESETS["refund-desk-4-orders"], [[4, [1, 2]]]), "the environment's settings differ (maxOrders: 3 and 4), so the tasks do too"],
  ["another number of tasks", run({ ...base, updates: 9 }, [[4, [1, 2, 3]]]), "they were evaluated on 2 and 3 tasks"],
  ["no evaluation of what was trained", run({ ...base, updates: 9 }, [[0, [1, 2]]]), "B was not evaluated on held-out tasks yet"],
])("%s: refused, with the reason", (_name, other, reason) => {
  const [difference] = taskDifferences([entry(run(seeded(1), [[4, [1, 2]]])), entry(other)]);
  expect(difference).toMatchObject({ kind: "refused", entry: 1, reason: expect.stringContaining(reason) });
});

test("a person's plays are imitated, not evaluated on: they refuse nothing", () => {
  const played = { ...PRESETS.sokoban, environment: { ...PRESETS.sokoban.environment, plays: "5#|#@$.#|5#:R" } as RunConfig["environment"] };
  expect(taskDifferences([entry(run(PRESETS.sokoban, [[4, [1, 2]]])), entry(run(played, [[4, [1, 3]]]))])[0]?.kind).toBe("difference");
});

const turn = (name: string, seen: string): TurnRecord & { readonly sequence: number } => ({
  sequence: 0, start: 0, end: 1, action: { kind: "tool", name, args: {} }, observation: { kind: "text", content: seen }, events: [], credit: 0, reward: 0, anchorKey: "", stateAfter: null,
});

test("the first turn that is not the same: by what was done, by what came back, by one ending", () => {
  const same = [turn("ask", "which"), turn("refund", "done")];
  const of = (turns: readonly ReturnType<typeof turn>[]) => ({ turns });
  expect(firstDifference(of(same), of(same))).toBeNull();
  expect(firstDifference(of(same), of([turn("ask", "which"), turn("deny", "done")]))).toBe(1);
  expect(firstDifference(of(same), of([turn("ask", "what"), turn("refund", "done")]))).toBe(0);
  expect(firstDifference(of(same), of([turn("ask", "which")]))).toBe(1);
});
