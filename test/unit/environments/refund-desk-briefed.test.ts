import { expect, test } from "vitest";
import { canonical } from "#core/json.ts";
import { createRng } from "#core/rng.ts";
import type { Action } from "#core/trajectory.ts";
import { alone, play } from "#environments/play.ts";
import { BASELINES } from "#environments/refund-desk/baselines.ts";
import { DEFAULTS } from "#environments/refund-desk/config.ts";
import { DEMONSTRATION_SKILL } from "#environments/refund-desk/demonstrator.ts";
import { createRefundDesk } from "#environments/refund-desk/index.ts";
import { createToolLoop } from "#harness/tool-loop.ts";
import { atOnce, tool } from "./support.ts";

const desk = createRefundDesk();
const config = { ...DEFAULTS, briefed: true };
const tasks = desk.tasks(config, "train", 600, createRng(2));
const shifted = desk.tasks(config, "shifted", 100, createRng(2));

const rateOf = (agent: "oracle" | "alwaysDeny" | "doNothing", on = tasks): number =>
  on.filter((task, index) => atOnce(play(desk, task, alone(BASELINES[agent], createRng(3).fork(`${index}`)), 1, createRng(4))).verdict.success).length / on.length;
const demonstrated = (skill: number) =>
  tasks.map((task, index) => atOnce(play(desk, task, desk.demonstrator(task, createRng(5).fork(`${index}`), skill), 1, createRng(6))));

test("all that has to be found out is told, so that the right call is the first", () => {
  expect([rateOf("oracle"), rateOf("oracle", shifted)]).toEqual([1, 1]);
  expect([rateOf("doNothing"), Math.abs(rateOf("alwaysDeny") - config.denyShare) < 0.01]).toEqual([0, true]);
  expect(demonstrated(1).every(({ verdict }) => verdict.success)).toBe(true);
});

test("demonstrations err in judgement alone, in more than one way, and call the desk once", () => {
  const made = demonstrated(DEMONSTRATION_SKILL);
  const share = made.filter(({ verdict }) => verdict.success).length / made.length;
  expect(share).toBeGreaterThan(0.55);
  expect(share).toBeLessThan(0.75);
  expect(made.every(({ seen }) => seen.length === 1)).toBe(true);
  const calls = new Set(made.filter(({ verdict }) => !verdict.success).map(({ seen }) => (seen[0]?.action.kind === "tool" ? seen[0].action.name : "")));
  expect(calls).toEqual(new Set(["refund", "deny"]));
});

test("the first call ends the case, without a failure by chance; a state knows what was told", () => {
  for (const task of tasks.slice(0, 60)) {
    const { state, observation } = desk.reset(task);
    for (const action of [tool("deny"), tool("lookup_orders"), tool("refund", task.request.target), tool("refund", "#99")]) {
      const outcomes = atOnce(desk.outcomes(state, action));
      expect(outcomes.map(({ probability, terminated }) => [probability, terminated])).toEqual([[1, true]]);
    }
    const orders = Object.fromEntries(task.database.orders.map(({ id, age }) => [id, age]));
    const told = (observation.content as { readonly orders: readonly { readonly order: string; readonly age: string }[] }).orders;
    expect(told.length).toBeGreaterThan(0);
    for (const { order, age } of told) expect(age === "pending" ? null : Number(age)).toBe(orders[order]);
    expect(state.checked).toEqual(told.map(({ order }) => order));
  }
});

test("what was told leaves no doubt what is right: every world has the task's own verdict", () => {
  for (const task of tasks.slice(0, 60)) {
    const { state, observation } = desk.reset(task);
    const { worlds, exhaustive } = desk.worlds(config, task, observation, [], createRng(1), 8);
    expect(exhaustive).toBe(true);
    expect(worlds.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
    const right: Action = BASELINES.oracle(createRng(1))(observation);
    for (const world of worlds) {
      expect(canonical(world.state.database)).toBe(canonical(state.database));
      expect(desk.anchorKey(world.state, observation)).toBe(desk.anchorKey(state, observation));
      const [outcome] = atOnce(desk.outcomes(world.state, right));
      expect(atOnce(desk.verdict(world.task, outcome!.state, [], "terminated")).success).toBe(true);
    }
  }
});

test("fits the context of its preset, in words the harness knows", () => {
  const harness = createToolLoop(desk.tools, desk.words);
  for (const task of [...tasks, ...shifted]) {
    const { tokens } = harness.context(desk.reset(task).observation, [], { variant: 3 });
    expect(tokens.length + harness.longestAction).toBeLessThanOrEqual(32);
  }
});

test("a desk that is not briefed shows and does what it always did", () => {
  const plain = desk.tasks(DEFAULTS, "train", 40, createRng(2));
  for (const task of plain) expect(desk.reset(task).observation.content).toEqual({ window: String(task.request.window), refund: task.request.wanted });
});
