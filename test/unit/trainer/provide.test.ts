import { expect, test } from "vitest";
import { packRows } from "#algorithms/batch.ts";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import { createRng } from "#core/rng.ts";
import { FREE_STATE } from "#core/tokens.ts";
import { createLatestObservation } from "#harness/latest-observation.ts";
import { playAll, withArena, type JudgedRollout } from "#trainer/arena.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { provide } from "#trainer/provide.ts";
import { branchReturns } from "#trainer/provide/branch-returns.ts";
import { headValues } from "#trainer/provide/head-values.ts";
import { metered } from "#trainer/provide/meter.ts";
import { rollOut } from "#trainer/roll-out.ts";
import { NO_NETWORKS } from "#trainer/scorer/open.ts";
import { measureTruth, QUICK_TRUTH } from "#trainer/truth.ts";
import { wasmExecutor } from "../engine/wasm-modules.ts";
import { TOOLS, type TabularState, type TabularTask } from "../fixtures/tabular.ts";
import { SMALL_RUN } from "./runs.ts";
import { Solver, tabularArena, tabularPolicy } from "./truth-support.ts";

const gate = (): Promise<void> => Promise.resolve();
const mean = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

// ---------------------------------------------------------------- continuations, against dynamic programming over histories

const arena = tabularArena(4, true);
const policy = tabularPolicy(arena);
const TASKS: readonly TabularTask[] = [["red", "honest"], ["green", "false"], ["blue", "vague"]].map(([prize = "", guide = ""]) => ({ id: `${prize} ${guide}`, split: "train", prize, guide }));
const tabular = await Promise.all(TASKS.map(async (task, group) => {
  const { environment, harness, budget, constrained } = arena;
  return playAll(arena, Array.from({ length: 5 }, (_, member) => ({
    environment, harness, task, groupId: `${group}`, budget, rng: createRng(3).fork(`${group}/${member}`), policyVersion: 0, constrained, varyWording: false,
  })), policy, { greedy: false });
}));
const verifiable = { id: "verifiable", ...REWARD_SOURCES.verifiable.defaults } as const;
const asTheyAre = <G>(groups: readonly G[]): Promise<readonly G[]> => Promise.resolve(groups);
const branched = (tasks: readonly TabularTask[], rollouts: readonly (readonly JudgedRollout<TabularState>[])[], branches: number, seed = 1) =>
  branchReturns(metered<TabularTask, TabularState, typeof arena>(arena, policy), tasks, rollouts, { branches, reward: verifiable, rate: asTheyAre, rng: createRng(seed), gate });

test("continuations out of a restored state are worth what they are worth given that state", async () => {
  const branches = 64;
  const returns = await branched(TASKS, tabular, branches);
  const squares: number[] = [];
  for (const [group, task] of TASKS.entries()) {
    const solver = new Solver(arena, task);
    for (const [member, { trajectory, states }] of (tabular[group] ?? []).entries()) {
      expect(states).toHaveLength(trajectory.turns.length);
      for (const turn of trajectory.turns.keys()) {
        const seen = trajectory.turns.slice(0, turn).map(({ action, observation }) => ({ action, observation }));
        const value = solver.value(seen);
        const drawn = returns[group]?.[member]?.[turn] ?? new Float32Array();
        expect(drawn).toHaveLength(branches);
        expect([...new Set(drawn)].every((one) => one === 0 || one === 1)).toBe(true);
        // Where the state decides alone, so do all continuations.
        if (value < 1e-9 || value > 1 - 1e-9) expect(mean(drawn)).toBeCloseTo(value, 6);
        else squares.push((mean(drawn) - value) ** 2 / ((value * (1 - value)) / branches));
      }
    }
  }
  expect(squares.length).toBeGreaterThan(25);
  expect(mean(squares)).toBeLessThan(1.7);
  expect(Math.max(...squares)).toBeLessThan(16);
});

test("turns at the very same place share their continuations, whatever else is in the batch", async () => {
  const returns = await branched(TASKS, tabular, 4);
  const [alone] = await branched(TASKS.slice(1, 2), tabular.slice(1, 2), 4);
  expect(alone).toEqual(returns[1]);
  for (const members of returns) for (const turns of members) expect(turns[0]).toBe(members[0]?.[0]);
  expect(await branched(TASKS, tabular, 4, 2)).not.toEqual(returns);
});

test("what continuations cost is counted", async () => {
  const meter = metered<TabularTask, TabularState, typeof arena>(arena, policy);
  const one = (tabular[0] ?? []).slice(0, 1);
  await branchReturns(meter, TASKS.slice(0, 1), [one], { branches: 8, reward: verifiable, rate: asTheyAre, rng: createRng(1), gate });
  const turns = one[0]?.trajectory.turns.length ?? 0;
  const { steps, tokens } = meter.spent();
  expect(steps).toBeGreaterThanOrEqual(8 * turns);
  expect(steps).toBeLessThanOrEqual(8 * 4 * turns);
  // An action takes two or three tokens.
  expect(tokens).toBeGreaterThanOrEqual(2 * steps);
  expect(tokens).toBeLessThanOrEqual(3 * steps);
});

test("shaped rewards count from the turn on", async () => {
  const shaped = { id: "shaped", ...REWARD_SOURCES.shaped.defaults, eventScale: 0, formatPenalty: 1 } as const;
  // A first turn that could not be read and is fined: the fine is part of no return but its own, whose continuations are not fined.
  const found = tabular.flat().find(({ trajectory: { turns } }) => turns.length >= 2);
  if (!found) throw new Error("no rollout of two turns");
  const [first, ...rest] = found.trajectory.turns;
  if (!first) throw new Error("no turn");
  const malformed = arena.harness.parse(Uint32Array.of(arena.harness.automaton.endToken));
  if (malformed.kind !== "malformed") throw new Error("an action without a name is malformed");
  const spoilt = { ...found, trajectory: { ...found.trajectory, turns: [{ ...first, action: malformed, observation: arena.harness.malformed(malformed) }, ...rest] } };
  const task = TASKS.find(({ id }) => id === found.trajectory.taskId) as TabularTask;
  const [[turns = []] = []] = await branchReturns(metered<TabularTask, TabularState, typeof arena>(arena, policy), [task], [[spoilt]], { branches: 8, reward: shaped, rate: asTheyAre, rng: createRng(1), gate });
  expect(turns).toHaveLength(found.trajectory.turns.length);
  for (const returns of turns) for (const value of returns) expect([0, 1]).toContain(value);
});

test.each(["whole history", "a sequence a turn"])("a reward source reads a continuation as one trajectory: %s", async (form) => {
  const own = form === "whole history" ? arena : { ...arena, harness: createLatestObservation(TOOLS, arena.environment.words, { observations: 1, grid: "cells" }) };
  const task = TASKS[0] as TabularTask;
  const rollouts = await playAll(own, [0, 1, 2].map((member) => ({
    environment: own.environment, harness: own.harness, task, groupId: "0", budget: own.budget, rng: createRng(5).fork(`${member}`), policyVersion: 0, constrained: true, varyWording: false,
  })), policy, { greedy: false });
  let compared = 0;
  const rate: Parameters<typeof branchReturns>[3]["rate"] = (groups) => {
    for (const { trajectory: { sequences, turns } } of groups.flatMap(({ members }) => members)) {
      for (const { sequence, start, end, action } of turns) {
        expect(own.harness.parse((sequences[sequence]?.tokens ?? new Uint32Array()).slice(start, end))).toEqual(action);
        compared += 1;
      }
      expect(new Set(turns.map(({ sequence }) => sequence)).size).toBe(form === "whole history" ? 1 : turns.length);
    }
    return Promise.resolve(groups);
  };
  await branchReturns(metered<TabularTask, TabularState, typeof own>(own, policy), [task], [rollouts], { branches: 2, reward: verifiable, rate, rng: createRng(1), gate });
  expect(compared).toBeGreaterThan(10);
});

// ---------------------------------------------------------------- values, truth: in a run of the desk

const config = { ...SMALL_RUN, policy: { ...SMALL_RUN.policy, valueHead: true }, algorithm: { ...SMALL_RUN.algorithm, groupSize: 4, groupsPerUpdate: 3 } };

test("values of the policy's head are those of the context before each turn, and behind the last one where the episode goes on", async () => {
  await withArena(config, async (desk) => {
    const own = openPolicy(await wasmExecutor("simd128"), config, desk, undefined);
    const rng = createRng(2);
    own.load((await own.snapshot()).map((weight) => weight + 0.1 * (rng.next() - 0.5)));
    const { sampled } = await rollOut(config, { arena: desk, policy: own, networks: NO_NETWORKS, gate }, 1, createRng(1));
    const rollouts = sampled.map((group) => group.rollouts);
    const scores = await headValues(own, desk.harness, rollouts);
    /** V of a context, alone in its batch. */
    const valueOf = async (context: Uint32Array): Promise<number> => {
      const tokens = Uint32Array.from([...context, desk.harness.automaton.endToken]);
      const spans = [{ start: 0, end: context.length, role: "user", sampled: false }, { start: context.length, end: tokens.length, role: "assistant", sampled: true }] as const;
      const sequence = { tokens, spans, behaviorLogprobs: new Float32Array(tokens.length), automatonStates: new Uint16Array(tokens.length).fill(FREE_STATE) };
      const pass = await own.forward(packRows([{ sequence, trajectory: 0 }]));
      pass.dispose();
      return pass.stats.values?.[context.length] ?? Number.NaN;
    };
    const endings = new Set<string>();
    for (const [group, members] of rollouts.entries()) {
      for (const [member, { trajectory: { first, turns, ending, sequences }, wording }] of members.entries()) {
        const { values, tokenValues } = scores[group]?.[member] ?? { values: new Float32Array(), tokenValues: [] };
        const seen = turns.map(({ action, observation }) => ({ action, observation }));
        endings.add(ending);
        expect(values).toHaveLength(turns.length + 1);
        for (const [turn, { sequence, start }] of turns.entries()) {
          expect(values[turn]).toBe(await valueOf(desk.harness.context(first, seen.slice(0, turn), wording).tokens));
          expect(tokenValues[sequence]?.[start]).toBe(values[turn]);
          expect(tokenValues[sequence]?.[start + 1]).toBe(await valueOf((sequences[sequence]?.tokens ?? new Uint32Array()).slice(0, start + 1)));
        }
        expect(values[turns.length]).toBe(ending === "truncated" ? await valueOf(desk.harness.context(first, seen, wording).tokens) : 0);
      }
    }
    expect(endings).toEqual(new Set(["terminated", "truncated"]));
    own.dispose();
  });
});

test("truth is handed over as it is measured, and adds up; what is not asked for is not brought", async () => {
  const plain = { ...config, policy: { ...config.policy, valueHead: false } };
  await withArena(plain, async (desk) => {
    const own = openPolicy(await wasmExecutor("simd128"), plain, desk, undefined);
    const { sampled, groups, tasks } = await rollOut(plain, { arena: desk, policy: own, networks: NO_NETWORKS, gate }, 1, createRng(1));
    const rollouts = sampled.map((group) => group.rollouts);
    const parts = { arena: desk, policy: own, tasks, rollouts, reward: plain.reward, branches: 1, critic: null, implicit: null, rng: createRng(4), gate };
    const { groups: provided, cost } = await provide(groups, new Set(["truth"]), parts);
    const asked = tasks.map((task, group) => ({ task, members: (rollouts[group] ?? []).map((rollout) => ({ ...rollout, success: rollout.verdict.success })) }));
    const measured = await measureTruth(desk, own, asked, { ...QUICK_TRUTH, given: "history", rng: createRng(4).fork("truth"), gate });
    for (const [group, { members }] of provided.entries()) {
      for (const [member, { truth, verdict, branchReturns: none }] of members.entries()) {
        expect(truth).toEqual(measured[group]?.[member]?.turns);
        const { start = 0, skill = [], luck = [] } = truth ?? {};
        expect(start + mean(skill) * skill.length + mean(luck) * luck.length).toBeCloseTo(verdict.success ? 1 : 0, 5);
        expect(none).toBeUndefined();
      }
    }
    expect(cost.steps).toBeGreaterThan(100);
    expect(cost.tokens).toBeGreaterThan(100);
    expect(await provide(groups, new Set(), parts)).toEqual({ groups, cost: { steps: 0, tokens: 0 } });
    expect(CREDIT_ASSIGNERS.truth.needs).toEqual(["truth"]);
    own.dispose();
  });
});
