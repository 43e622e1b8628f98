import { describe, expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import type { Action, Observation, SeenStep } from "#core/trajectory.ts";
import { RunStopped } from "#trainer/runtime.ts";
import { measureTruth, type MemberTruth, type TruthGroup } from "#trainer/truth.ts";
import { FIRST, type TabularTask } from "../fixtures/tabular.ts";
import { TablePolicy } from "../fixtures/table-policy.ts";
import { playGroups, Solver, tabularArena, tabularLogit, tabularPolicy, truthOptions } from "./truth-support.ts";

const TURNS = 3;
const tasksOf = (count: number): readonly TabularTask[] => tabularArena(TURNS, true).environment.tasks({ listed: true }, "train", count, createRng(5));

/** What is so at every turn of every member. */
function solved(groups: readonly TruthGroup<TabularTask>[], solverOf: (task: TabularTask) => Solver) {
  return groups.flatMap(({ task, members }, group) => members.flatMap(({ trajectory: { turns } }, member) => {
    const steps: readonly SeenStep[] = turns.map(({ action, observation }) => ({ action, observation }));
    return steps.map(({ action }, turn) => {
      const seen = steps.slice(0, turn);
      const solver = solverOf(task);
      const [value, actionValue] = [solver.value(seen), solver.actionValue(seen, action)];
      return { group, member, turn, value, actionValue, skill: actionValue - value, probability: solver.probability(seen, action) };
    });
  }));
}

type Measured = Awaited<ReturnType<typeof measureTruth>>;
function memberOf(measured: Measured, group: number, member: number): MemberTruth {
  const truth = measured[group]?.[member];
  if (!truth) throw new Error(`member ${member} of group ${group} has no truth`);
  return truth;
}

function at(measured: Measured, { group, member, turn }: { readonly group: number; readonly member: number; readonly turn: number }) {
  const { labels, turns } = memberOf(measured, group, member);
  return { label: labels[turn] as MemberTruth["labels"][number], skill: turns.skill[turn] ?? Number.NaN };
}

describe("expanded truth", () => {
  const arena = tabularArena(TURNS, true);
  const policy = tabularPolicy(arena);
  const solver = new Solver(arena);

  test.each([0.02, 0.1])("lies within its half-width of the values by dynamic programming (unexplored up to %d)", async (maxMass) => {
    const groups = await playGroups(arena, policy, tasksOf(4), 4, createRng(1));
    const measured = await measureTruth(arena, policy, groups, truthOptions(2, { maxMass }));
    for (const { value, actionValue, skill, probability, ...place } of solved(groups, () => solver)) {
      const { label, skill: measuredSkill } = at(measured, place);
      expect(label.kind).toBe("exact");
      expect(label.unexplored).toBeLessThan(maxMass);
      expect(Math.abs(measuredSkill - skill)).toBeLessThanOrEqual(label.halfWidth);
      expect(Math.abs(label.value - value)).toBeLessThanOrEqual(label.unexplored + 1e-6);
      expect(Math.abs(label.actionValue - actionValue)).toBeLessThanOrEqual(label.unexplored + 1e-6);
      expect(label.probability).toBeCloseTo(probability, 6);
    }
  });

  test("is exact to rounding when everything is expanded", async () => {
    const groups = await playGroups(arena, policy, tasksOf(2), 4, createRng(3));
    const measured = await measureTruth(arena, policy, groups, truthOptions(2, { maxMass: 1e-9, maxNodes: 1e9 }));
    for (const { skill, ...place } of solved(groups, () => solver)) {
      const { label, skill: measuredSkill } = at(measured, place);
      expect(measuredSkill).toBeCloseTo(skill, 5);
      expect(label.halfWidth).toBeLessThan(1e-5);
    }
  });

  test("adds up to the outcome on every trajectory, whatever was expanded", async () => {
    const groups = await playGroups(arena, policy, tasksOf(4), 4, createRng(4));
    for (const changes of [{}, { maxMass: 0.5 }, { maxNodes: 3 }, { maxNodes: 0, worlds: 4 }, { given: "state" as const }]) {
      const measured = await measureTruth(arena, policy, groups, truthOptions(2, changes));
      for (const [group, { members }] of groups.entries()) {
        for (const [member, { success }] of members.entries()) {
          const { start, skill, luck } = memberOf(measured, group, member).turns;
          expect(start + skill.reduce((a, b) => a + b, 0) + luck.reduce((a, b) => a + b, 0)).toBeCloseTo(success ? 1 : 0, 5);
        }
      }
    }
  });

  test("a lucky guess of an unlikely box has skill below zero given the history, and above it given the hidden state", async () => {
    const groups = await playGroups(arena, policy, tasksOf(120), 4, createRng(6));
    const lucky = groups.map(({ task, members }) => ({
      task, members: members.filter(({ success, trajectory: { turns: [first, second] } }) => success && second === undefined && first?.action.kind === "tool" && first.action.args.box !== "red"),
    })).filter(({ members }) => members.length > 0);
    const given = async (view: "history" | "state"): Promise<readonly number[]> =>
      (await measureTruth(arena, policy, lucky, truthOptions(1, { given: view, maxMass: 1e-3 }))).flat().map((truth) => truth?.turns.skill[0] ?? Number.NaN);
    const [history, state] = [await given("history"), await given("state")];
    expect(history.length).toBeGreaterThan(4);
    for (const skill of history) expect(skill).toBeLessThan(-0.002);
    for (const skill of state) expect(skill).toBeGreaterThan(0.002);
  });

  test("given the hidden state it is the value with that state known", async () => {
    const groups = await playGroups(arena, policy, tasksOf(4), 4, createRng(7));
    const measured = await measureTruth(arena, policy, groups, truthOptions(2, { given: "state", maxMass: 1e-9, maxNodes: 1e9 }));
    for (const { skill, ...place } of solved(groups, (task) => new Solver(arena, task))) {
      const { label, skill: measuredSkill } = at(measured, place);
      expect(measuredSkill).toBeCloseTo(skill, 5);
      expect(label).toMatchObject({ kind: "exact", worlds: 1 });
    }
  });

  test("knows the value of an action that the policy hardly ever takes, where all else is explored", async () => {
    const shy = new TablePolicy(arena.harness.automaton, (context, token) => tabularLogit(arena)(context, token) - (arena.harness.vocabulary.words[token] === "peek" ? 14 : 0));
    const [ask, peek, open] = [{ name: "ask", args: {} }, { name: "peek", args: { box: "red" } }, { name: "open", args: { box: "red" } }].map((call) => ({ kind: "tool" as const, ...call }));
    const trajectoryOf = (...steps: readonly (readonly [Action, Observation])[]): TruthGroup<TabularTask>["members"][number] => ({
      wording: { variant: 0 }, success: false,
      trajectory: {
        taskId: "", groupId: "", policyVersion: 0, sequences: [], first: FIRST, ending: "truncated",
        turns: steps.map(([action, observation]) => ({ sequence: 0, start: 0, end: 0, anchorKey: "", action, observation, events: [] })),
      },
    });
    if (!ask || !peek || !open) throw new Error("no actions");
    const asked = [ask, { kind: "user", content: "red" }] as const;
    const members = [trajectoryOf(asked, [open, { kind: "stuck", content: "red" }]), trajectoryOf(asked, [peek, { kind: "peeked", content: "full" }])];
    const [task] = tasksOf(1);
    if (!task) throw new Error("no task");
    const [[, peeked] = []] = await measureTruth(arena, shy, [{ task, members }], truthOptions(1, { maxMass: 0.001 }));
    const seen = [{ action: ask, observation: asked[1] }];
    const exact = new Solver(arena, undefined, (context, token) => tabularLogit(arena)(context, token) - (arena.harness.vocabulary.words[token] === "peek" ? 14 : 0));
    expect(peeked?.labels[1]?.probability).toBeLessThan(1e-5);
    expect(Math.abs((peeked?.labels[1]?.actionValue ?? Number.NaN) - exact.actionValue(seen, peek))).toBeLessThan(0.001);
    expect(Math.abs((peeked?.turns.skill[1] ?? Number.NaN) - (exact.actionValue(seen, peek) - exact.value(seen)))).toBeLessThanOrEqual(peeked?.labels[1]?.halfWidth ?? 0);
  });

  test("is the same each time, and ends when the gate rejects", async () => {
    const groups = await playGroups(arena, policy, tasksOf(2), 4, createRng(8));
    const [once, again] = [await measureTruth(arena, policy, groups, truthOptions(9)), await measureTruth(arena, policy, groups, truthOptions(9))];
    expect(again).toEqual(once);
    let gates = 0;
    const gate = (): Promise<void> => ((gates += 1) > 5 ? Promise.reject(new RunStopped()) : Promise.resolve());
    await expect(measureTruth(arena, policy, groups, truthOptions(9, { gate }))).rejects.toThrow(RunStopped);
    expect(gates).toBe(6);
  });
});

describe("branched truth", () => {
  const SEEDS = 100;
  const policy = tabularPolicy(tabularArena(3, false));
  const solver = new Solver(tabularArena(3, false));

  // Twelve ways things may be: 4 and 8 drawn worlds are fewer. Without nodes every action is played on from at once.
  test.each([
    ["worlds that are drawn", false, { worlds: 4, branchNodes: 100 }],
    ["worlds that are drawn", false, { worlds: 8, branchNodes: 100 }],
    ["worlds that are drawn", false, { worlds: 24, branchNodes: 100 }],
    ["worlds that are drawn, nothing expanded", false, { worlds: 8, branchNodes: 0 }],
    ["worlds that are drawn from all", true, { worlds: 8, maxNodes: 0, branchNodes: 50 }],
    ["all worlds, what was not expanded played on from", true, { worlds: 8, maxNodes: 14 }],
  ] as const)("from %s, is inside its interval in at least 93 of 100 seeds (listed %s, %j)", async (_name, listed, changes) => {
    const arena = tabularArena(3, listed);
    const groups = await playGroups(arena, policy, tasksOf(1), 2, createRng(11));
    const truths = solved(groups, () => solver);
    const inside = truths.map(() => 0);
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const measured = await measureTruth(arena, policy, groups, truthOptions(seed, changes));
      for (const [index, truth] of truths.entries()) {
        const { label, skill } = at(measured, truth);
        expect(label.halfWidth).toBeGreaterThan(0.001);
        if (!listed) expect(label).toMatchObject({ kind: "branched", worlds: changes.worlds });
        if (Math.abs(skill - truth.skill) <= label.halfWidth) inside[index] = (inside[index] ?? 0) + 1;
      }
    }
    for (const count of inside) expect(count).toBeGreaterThanOrEqual(93);
  });

  test("has a mean without bias", async () => {
    const arena = tabularArena(3, false);
    const groups = await playGroups(arena, policy, tasksOf(1), 2, createRng(11));
    const [truth] = solved(groups, () => solver);
    if (!truth) throw new Error("no turn");
    let sum = 0;
    let squares = 0;
    for (let seed = 0; seed < 2 * SEEDS; seed += 1) {
      const error = at(await measureTruth(arena, policy, groups, truthOptions(1000 + seed, { worlds: 4, branchNodes: 20 })), truth).label.value - truth.value;
      sum += error;
      squares += error * error;
    }
    expect(Math.abs(sum / (2 * SEEDS))).toBeLessThan((3 * Math.sqrt(squares / (2 * SEEDS))) / Math.sqrt(2 * SEEDS));
  });
});
