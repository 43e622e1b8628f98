import { describe, expect, test } from "vitest";
import { PolicyError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { wilsonInterval } from "#core/statistics.ts";
import type { Action, Observation, SeenStep } from "#core/trajectory.ts";
import { rollouts } from "#harness/scheduler.ts";
import type { ForkRequest } from "#run/assessment.ts";
import { forkAt, optionsAt } from "#trainer/laboratory/fork.ts";
import { RunStopped } from "#trainer/runtime.ts";
import { ALL_WAYS, priorOf, type TabularTask } from "../fixtures/tabular.ts";
import { Solver, tabularArena, tabularPolicy } from "./truth-support.ts";

/** The tabular game with a hidden prize and a guide that may lie: values are known by dynamic programming. */
const arena = tabularArena(4, true);
const policy = tabularPolicy(arena);
const { harness, environment, budget } = arena;

const tool = (name: string, box?: string): Action => ({ kind: "tool", name, args: box === undefined ? {} : { box } });
const task: TabularTask = { id: "green false", split: "train", prize: "green", guide: "false" };

/** An attempt whose second turn is reached: with three boxes most are. */
async function played() {
  const specs = Array.from({ length: 12 }, (_, member) => ({
    environment, harness, task, groupId: "g", budget, rng: createRng(5).fork(String(member)), policyVersion: 0, constrained: true, varyWording: false,
  }));
  const judged = (await rollouts(specs, policy, { greedy: false })).map(({ trajectory, wording, states, finalState }) => ({
    trajectory, wording, states, error: undefined, verdict: { success: finalState?.opened === task.prize, checks: [], monitors: [] },
  }));
  const asked = judged.filter(({ trajectory: { turns } }) => turns.length > 2 && turns[0]?.action.kind === "tool" && turns[0].action.name === "ask");
  if (asked.length === 0) throw new Error("nobody asked");
  return { task, judged: asked };
}

const group = await played();
const member = group.judged[0];
if (!member) throw new Error("no member");
const turns = member.trajectory.turns;
const seenBefore = (turn: number): readonly SeenStep[] => turns.slice(0, turn).map(({ action, observation }) => ({ action, observation }));
const parts = { arena, policy, rng: createRng(9), gate: () => Promise.resolve() };
const request = (turn: number, edit: ForkRequest["edit"], changes: Partial<ForkRequest> = {}): ForkRequest =>
  ({ source: { kind: "run" }, groupId: "g", member: 0, turn, edit, given: "history", count: 256, ...changes });
const act = (action: Action): ForkRequest["edit"] => ({ kind: "action", action });
const answer = (observation: Observation): ForkRequest["edit"] => ({ kind: "answer", observation });

/** Within four standard errors of 256 continuations. */
function near(share: number, truth: number): void {
  expect(Math.abs(share - truth)).toBeLessThan(4 * Math.sqrt((truth * (1 - truth)) / 256) + 0.005);
}

describe("another action", () => {
  test.each([["open", "red"], ["open", "green"], ["peek", "green"]])("given the history, %s %s succeeds as often as its value says", async (name, box) => {
    const { successes, count, interval } = await forkAt(parts, group, request(1, act(tool(name, box))));
    expect(count).toBe(256);
    near(successes / count, new Solver(arena).actionValue(seenBefore(1), tool(name, box)));
    expect(interval).toEqual(wilsonInterval(successes, count));
  });

  test("given the state it goes on behind the scenes as it was: the liar is known to lie, the prize to be where it is", async () => {
    for (const box of ["green", "red"]) {
      const { successes, count } = await forkAt(parts, group, request(1, act(tool("open", box)), { given: "state" }));
      const truth = new Solver(arena, task).actionValue(seenBefore(1), tool("open", box));
      near(successes / count, truth);
      expect(Math.abs(truth - new Solver(arena).actionValue(seenBefore(1), tool("open", box)))).toBeGreaterThan(0.2);
    }
  });

  test("is the same each time, and another with each continuation", async () => {
    const once = await forkAt(parts, group, request(1, act(tool("peek", "blue")), { count: 8 }));
    expect(await forkAt(parts, group, request(1, act(tool("peek", "blue")), { count: 8 }))).toEqual(once);
    expect(new Set(once.records.map(({ turns: played }) => JSON.stringify(played.map(({ observation }) => observation)))).size).toBeGreaterThan(1);
  });

  test("records tell the whole story: turns before it as they were, tokens as the policy saw them", async () => {
    const action = tool("peek", "blue");
    const { records } = await forkAt(parts, group, request(1, act(action), { count: 4 }));
    expect(records).toHaveLength(3);
    for (const { sequences, turns: recorded, success, reward } of records) {
      expect(recorded[0]).toMatchObject({ action: turns[0]?.action, observation: turns[0]?.observation });
      expect(recorded[1]?.action).toEqual(action);
      expect(reward).toBe(success ? 1 : 0);
      const tokens = (sequences[0] ?? []).map(({ word }) => word);
      for (const [index, { start, end, action: done }] of recorded.entries()) {
        const seen = recorded.slice(0, index).map(({ action: before, observation }) => ({ action: before, observation }));
        const context = Array.from(harness.context(member.trajectory.first, seen, member.wording).tokens, (id) => harness.vocabulary.words[id]);
        expect(tokens.slice(0, start)).toEqual(context);
        expect(tokens.slice(start, end)).toEqual(Array.from(harness.encode(done), (id) => harness.vocabulary.words[id]));
        // What somebody chose was not sampled; everything else the policy wrote.
        expect((sequences[0] ?? []).slice(start, end).every(({ sampled }) => sampled === (index !== 1))).toBe(true);
      }
      expect(tokens).toHaveLength(recorded.at(-1)?.end ?? 0);
    }
  });

  test("that ends the episode has no continuation", async () => {
    const { records, count } = await forkAt(parts, group, request(1, act(tool("open", "green")), { given: "state", count: 64 }));
    expect(count).toBe(64);
    const ended = records.filter(({ turns: recorded }) => recorded.length === 2);
    expect(ended.length).toBeGreaterThan(0);
    for (const { success, ending } of ended) expect({ success, ending }).toEqual({ success: true, ending: "terminated" });
  });
});

describe("another answer", () => {
  test.each(["red", "green", "blue"])("what may be behind it is what could have said so: the guide names %s", async (named) => {
    const edited: Observation = { kind: "user", content: named };
    const { successes, count, records } = await forkAt(parts, group, request(0, answer(edited)));
    near(successes / count, new Solver(arena).value([{ action: tool("ask"), observation: edited }]));
    expect(records[0]?.turns[0]).toMatchObject({ action: tool("ask"), observation: edited });
    expect(records[0]?.sequences[0]?.[records[0].turns[0]?.start ?? 0]?.sampled).toBe(true);
  });

  test("that the episode's own state cannot give is asked of all that look alike", async () => {
    // A guide that says nothing is another guide than the liar.
    const silence: Observation = { kind: "user", content: "silence" };
    const { successes, count } = await forkAt(parts, group, request(0, answer(silence), { given: "state" }));
    expect(count).toBe(256);
    near(successes / count, new Solver(arena).value([{ action: tool("ask"), observation: silence }]));
  });

  test("that nothing can give is refused", async () => {
    await expect(forkAt(parts, group, request(0, answer({ kind: "peeked", content: "full" })))).rejects.toThrow("the environment cannot answer so");
    await expect(forkAt(parts, group, request(0, answer({ kind: "user", content: "purple" })))).rejects.toThrow("purple");
  });
});

describe("what cannot be", () => {
  test.each([
    [request(1, act({ kind: "reply", text: "red" })), "every action is a tool call"],
    [request(1, act({ kind: "malformed", raw: "ask <end>", reason: "said so" })), PolicyError],
    [request(9, act(tool("ask"))), "there is no turn 10"],
    [request(0, act(tool("ask")), { member: 99 }), "trajectory 100"],
    [request(0, act(tool("ask")), { count: 0 }), "allowed are 1 to 256"],
    [request(0, act(tool("ask")), { count: 1.5 }), "allowed are 1 to 256"],
    [request(0, act(tool("ask")), { count: 257 }), "allowed are 1 to 256"],
  ])("%j", async (asked, error) => {
    await expect(forkAt(parts, group, asked)).rejects.toThrow(error);
  });

  test("the gate ends it", async () => {
    await expect(forkAt({ ...parts, gate: () => Promise.reject(new RunStopped()) }, group, request(0, act(tool("ask"))))).rejects.toThrow(RunStopped);
  });
});

test("options: whole actions with their probability, and what may be answered to the one taken", async () => {
  const { actions, answers } = await optionsAt(parts, group, 0, 0);
  const solver = new Solver(arena);
  expect(actions.reduce((sum, { probability }) => sum + probability, 0)).toBeGreaterThan(0.99);
  for (const { action, probability } of actions) expect(probability).toBeCloseTo(solver.probability([], action), 5);
  expect(actions.map(({ probability }) => probability)).toEqual(actions.map(({ probability }) => probability).toSorted((a, b) => b - a));
  const silent = ALL_WAYS.filter(([, guide]) => guide === "mute").reduce((sum, way) => sum + priorOf(...way), 0);
  expect(answers.find(({ observation }) => observation.content === "silence")?.probability).toBeCloseTo(silent, 10);
  expect(answers.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 10);
  expect(answers.map(({ observation }) => observation)).toContainEqual(turns[0]?.observation);
});
