import { describe, expect, test } from "vitest";
import type { World } from "#core/environment.ts";
import { TaskError } from "#core/errors.ts";
import { choose, createRng } from "#core/rng.ts";
import type { Action, SeenStep } from "#core/trajectory.ts";
import { subjects } from "#environments/js-sandbox/catalogue.ts";
import { DEFAULTS } from "#environments/js-sandbox/config.ts";
import { demonstrate } from "#environments/js-sandbox/demonstrator.ts";
import { createJsSandbox } from "#environments/js-sandbox/index.ts";
import { apply } from "#environments/js-sandbox/mutations.ts";
import { createTask, type RepairState, type RepairTask } from "#environments/js-sandbox/state.ts";
import { drawBug } from "#environments/js-sandbox/tasks.ts";
import { codeRunner } from "../../../src/cli/code-runner.ts";
import { text } from "./support.ts";

const environment = createJsSandbox({ codeRunner: codeRunner() });
type Worlds = readonly World<RepairTask, RepairState>[];
const after = (task: RepairTask, seen: readonly SeenStep[]) =>
  environment.worlds(DEFAULTS, task, environment.reset(task).observation, seen, createRng(1), 50);

/** Bugs whose program is printed by other bugs too: only tests tell them apart. */
const ambiguous: readonly RepairTask[] = (() => {
  const programs = new Map<string, RepairTask[]>();
  for (const subject of subjects()) for (const mutation of subject.mutations) {
    const key = apply(subject.tokens, mutation).join(" ");
    const task = () => createTask(drawBug(createRng(3).fork(key), DEFAULTS, subject, mutation), subject.unseen ? "shifted" : "train");
    programs.set(key, [...(programs.get(key) ?? []), task()]);
  }
  return [...programs.values()].filter((bugs) => bugs.length > 1).flat();
})();

const ODD: readonly Action[] = [
  ...["look", "run_tests", "write_expected", "delete_test", "swallow_error"].map((name): Action => ({ kind: "tool", name, args: {} })),
  { kind: "tool", name: "edit", args: { position: "@3", token: "1" } }, { kind: "tool", name: "edit", args: { position: "@9", token: "-" } },
  { kind: "reply", text: "hello" },
];

/** Every prefix of an episode of actions that need not be sensible. */
async function histories(task: RepairTask, seed: number): Promise<readonly { readonly seen: readonly SeenStep[]; readonly state: RepairState }[]> {
  const rng = createRng(seed).fork(task.id);
  const act = demonstrate(task, rng.fork("agent"), 0);
  let { state, observation } = environment.reset(task);
  const all: { seen: readonly SeenStep[]; state: RepairState }[] = [{ seen: [], state }];
  for (let turn = 0; turn < 6; turn += 1) {
    const wanted = act(state, observation);
    const action = rng.next() < 0.4 ? choose(rng, ODD) : wanted;
    const [outcome] = await environment.outcomes(state, action);
    ({ state, observation } = outcome!);
    all.push({ seen: [...all.at(-1)!.seen, { action, observation }], state });
    if (outcome!.terminated) break;
  }
  return all;
}

/** Worlds after one more step, by Bayes' rule through `outcomes`. */
async function filtered(before: Worlds, { action, observation }: SeenStep): Promise<Worlds> {
  const kept = (await Promise.all(before.map(async (world) => (await environment.outcomes(world.state, action))
    .filter((outcome) => text(outcome.observation) === text(observation))
    .map(({ probability, state }) => ({ ...world, state, probability: world.probability * probability }))))).flat();
  const total = kept.reduce((sum, { probability }) => sum + probability, 0);
  return kept.map((world) => ({ ...world, probability: world.probability / total }));
}

const withoutHidden = ({ bug, ...state }: RepairState): string => text({ ...state, bug: { ...bug, hidden: "" } });

describe("what may be behind what was seen", () => {
  const mixed = [...ambiguous, ...environment.tasks(DEFAULTS, "train", 40, createRng(2)), ...environment.tasks(DEFAULTS, "shifted", 10, createRng(2))];

  test("worlds of a history are those of the beginning filtered through what happened", async () => {
    for (const [index, task] of mixed.entries()) for (const { seen } of (await histories(task, index)).slice(1)) {
      const got = after(task, seen);
      const wanted = await filtered(after(task, seen.slice(0, -1)).worlds, seen.at(-1)!);
      expect(got.worlds.map(({ state }) => text(state))).toEqual(wanted.map(({ state }) => text(state)));
      for (const [world, { probability }] of got.worlds.entries()) expect(probability).toBeCloseTo(wanted[world]!.probability, 12);
      expect(got.exhaustive).toBe(true);
    }
  });

  test("the truth is among them, with hidden inputs of its own", async () => {
    for (const [index, task] of mixed.entries()) for (const { seen, state } of await histories(task, index)) {
      const worlds = after(task, seen).worlds;
      expect(worlds.map((world) => withoutHidden(world.state))).toContain(withoutHidden(state));
      expect(worlds.some((world) => world.task.bug.hidden === task.bug.hidden)).toBe(false);
    }
  });

  test("several bugs print one program, and a run of the tests tells them apart", async () => {
    expect(ambiguous.length).toBeGreaterThanOrEqual(10);
    let settled = 0;
    for (const task of ambiguous) {
      const { state } = environment.reset(task);
      const before = after(task, []).worlds;
      expect(before.length).toBeGreaterThan(1);
      const run: Action = { kind: "tool", name: "run_tests", args: {} };
      const [outcome] = await environment.outcomes(state, run);
      const now = after(task, [{ action: run, observation: outcome!.observation }]).worlds;
      expect(now.length).toBeLessThanOrEqual(before.length);
      if (now.length === 1) settled += 1;
    }
    expect(settled / ambiguous.length).toBeGreaterThan(0.8);
  });

  test("a function is as likely as another, and so is each of its mistakes", () => {
    for (const task of ambiguous) {
      const { worlds } = after(task, []);
      const weights = worlds.map(({ task: { bug } }) => 1 / subjects().find(({ id }) => id === bug.subject)!.mutations.length);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const [index, { probability }] of worlds.entries()) expect(probability).toBeCloseTo(weights[index]! / total, 12);
    }
  });

  test("what no bug shows is refused", () => {
    const task = mixed[0]!;
    const passed: SeenStep = { action: { kind: "tool", name: "submit", args: {} }, observation: { kind: "passed", content: {} } };
    expect(() => after(task, [passed])).toThrow(TaskError);
    expect(() => environment.worlds(DEFAULTS, task, { kind: "source", content: "function" }, [], createRng(1), 5)).toThrow(TaskError);
  });

  test("an answer to what could not be read changes nothing", () => {
    const task = mixed[0]!;
    const unread: SeenStep = { action: { kind: "malformed", raw: "edit", reason: "missing-argument: x" }, observation: { kind: "malformed", content: { fault: "missing-argument" } } };
    expect(text(after(task, [unread]))).toBe(text(after(task, [])));
  });
});
