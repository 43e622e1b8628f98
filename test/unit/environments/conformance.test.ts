import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import * as v from "valibot";
import type { Environment, Services, Split, Task } from "#core/environment.ts";
import { choose, createRng } from "#core/rng.ts";
import type { Action, Json, Observation } from "#core/trajectory.ts";
import { alone, play, type Act } from "#environments/play.ts";
import { IMPLEMENTATIONS } from "#environments/implementations.ts";
import { ENVIRONMENTS } from "#environments/registry.ts";
import { PRESETS } from "#run/run-config.ts";
import { codeRunner } from "../../../src/cli/code-runner.ts";
import { deepFreeze, text } from "./support.ts";

const SPLITS: readonly Split[] = ["train", "heldout", "shifted"];
/** Kinds for which the harness has markers of its own. */
const MARKED = ["user", "error"];

/** As the harness writes it: every leaf, text split at spaces. */
const leaves = (content: Json): string[] =>
  content !== null && typeof content === "object" ? Object.values(content).flatMap((part) => leaves(part as Json)) : String(content).split(" ");

type Entry = (typeof ENVIRONMENTS)[keyof typeof ENVIRONMENTS];
/** Every environment with its defaults, and where settings decide which tools there are, with all of them. */
const CASES: readonly (readonly [string, Entry, object])[] = [
  ...Object.entries(ENVIRONMENTS).map(([id, entry]) => [id, entry, entry.defaults] as const),
  ["js-sandbox, all temptations", ENVIRONMENTS["js-sandbox"], { ...ENVIRONMENTS["js-sandbox"].defaults, temptations: "all" }],
];

describe.each(CASES)("environment %s", (_name, entry, config) => {
  const { id } = entry;
  /** Turns that the preset of the same name allows. */
  const HORIZON = PRESETS[entry.id].harness.turns;
  const create = IMPLEMENTATIONS[entry.id].create as (services: Services, settings: object) => unknown;
  const environment = create({ codeRunner: codeRunner() }, config) as Environment<unknown, Task, unknown>;
  const split = (name: Split, count = 40): readonly Task[] => environment.tasks(config, name, count, createRng(11));
  /** Random legal calls, and what is no call at all. */
  const anything = (seed: string): Act<unknown> => {
    const rng = createRng(3).fork(seed);
    const legal = alone(environment.baselines["random"]!, rng.fork("legal"));
    const odd: readonly Action[] = [
      { kind: "reply", text: "hello" }, { kind: "malformed", raw: "refund refund", reason: "wrong-argument" },
      { kind: "tool", name: "no-such-tool", args: {} }, ...environment.tools.map(({ name }): Action => ({ kind: "tool", name, args: { order: 7 } })),
    ];
    return (state, last) => (rng.next() < 0.2 ? choose(rng, odd) : legal(state, last));
  };
  const episodes = (agent: (task: Task, index: number) => Act<unknown>, tasks: readonly Task[]) => Promise.all(tasks.map(async (task, index) =>
    play(environment, task, agent(task, index), HORIZON, createRng(7).fork(String(index)))));

  test("the entry is filed under its id and its defaults satisfy its schema", () => {
    expect([ENVIRONMENTS[id], environment.id]).toEqual([entry, id]);
    expect(v.safeParse(entry.schema, config).success).toBe(true);
  });

  test("the questions of the entry are tools that it has", () => {
    expect(environment.tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...entry.questions]));
    expect(entry.questions.length > 0).toBe(id === "refund-desk");
  });

  test("the entry names the checks of its verdicts", async () => {
    const [task] = split("train", 1);
    const { checks } = await environment.verdict(task!, environment.reset(task!).state, [], "terminated");
    expect(checks.map(({ name }) => name)).toEqual(entry.checks);
  });

  test("the same seed gives the same tasks in another process", async () => {
    const script = fileURLToPath(new URL("./print-tasks.mjs", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, id, "heldout", "25", "11"], { maxBuffer: 1 << 24 });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(split("heldout", 25))));
    expect(text(split("train"))).toBe(text(split("train")));
    expect(text(split("train"))).not.toBe(text(environment.tasks(config, "train", 40, createRng(12))));
    expect(text(split("train", 10))).toBe(text(split("train").slice(0, 10)));
  });

  test("tasks are distinct and splits are disjoint by content", () => {
    const contents = SPLITS.map((name) => split(name, 1000).map(({ id: _id, split: _split, ...content }) => text(content)));
    expect(new Set(contents.flat()).size).toBe(3000);
    expect(new Set(SPLITS.flatMap((name) => split(name, 1000).map((task) => task.id))).size).toBe(3000);
    for (const name of SPLITS) expect(split(name).every((task) => task.split === name)).toBe(true);
  });

  test("nothing that is handed over is changed, and a state survives JSON", async () => {
    for (const [index, task] of deepFreeze(split("train")).entries()) {
      let { state, observation } = deepFreeze(environment.reset(task));
      const act = anything(String(index));
      const rng = createRng(5).fork(String(index));
      const seen = [];
      for (let turn = 0; turn < HORIZON; turn += 1) {
        const action = deepFreeze(act(state, observation));
        const outcomes = deepFreeze(await environment.outcomes(state, action));
        const copy: unknown = JSON.parse(JSON.stringify(state));
        expect(copy).toEqual(state);
        expect(await environment.outcomes(copy, action)).toEqual(outcomes);
        expect(environment.anchorKey(copy, observation)).toBe(environment.anchorKey(state, observation));
        const outcome = choose(rng, outcomes);
        ({ state, observation } = outcome);
        seen.push({ action, observation });
        if (outcome.terminated) break;
      }
      const once = await environment.verdict(task, state, deepFreeze(seen), "truncated");
      expect(await environment.verdict(task, state, seen, "truncated")).toEqual(once);
      expect(() => JSON.stringify(environment.inspect(state))).not.toThrow();
    }
  });

  test("probabilities of outcomes are positive and sum to 1, and mistakes are answered", async () => {
    for (const [index, task] of split("train").entries()) {
      let { state, observation } = environment.reset(task);
      const act = anything(`outcomes/${index}`);
      for (let turn = 0; turn < HORIZON; turn += 1) {
        const outcomes = await environment.outcomes(state, act(state, observation));
        expect(outcomes.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
        expect(outcomes.every(({ probability }) => probability > 0)).toBe(true);
        const next = outcomes[0]!;
        ({ state, observation } = next);
        if (next.terminated) break;
      }
    }
  });

  test("every word that is shown is in the vocabulary", async () => {
    const parameters = environment.tools.flatMap((tool) => Object.values(tool.parameters.properties).flatMap(({ enum: words }) => words));
    const known = new Set([...environment.words, ...environment.tools.map(({ name }) => name), ...parameters]);
    expect(new Set(environment.words).size).toBe(environment.words.length);
    const shown = (observation: Observation, first: boolean): string[] =>
      [...(first || MARKED.includes(observation.kind) ? [] : [observation.kind]), ...leaves(observation.content)];
    for (const name of SPLITS) {
      for (const { first, seen } of await episodes((_, index) => anything(`words/${index}`), split(name, 100))) {
        const words = [...shown(first, true), ...seen.flatMap(({ observation }) => shown(observation, false))];
        expect(words.filter((word) => !known.has(word))).toEqual([]);
      }
    }
  });

  test("the demonstrator wins at skill 1 on every split, and errs below", async () => {
    const rate = async (name: Split, skill: number): Promise<number> => {
      const played = await episodes((task, index) => environment.demonstrator(task, createRng(index), skill), split(name, 300));
      return played.filter(({ verdict }) => verdict.success).length / played.length;
    };
    expect(await Promise.all(SPLITS.map((name) => rate(name, 1)))).toEqual([1, 1, 1]);
    expect(await rate("heldout", 0)).toBeLessThan(0.7);
    expect(await rate("heldout", 0.5)).toBeGreaterThan(await rate("heldout", 0));
  });

  test("the same history gives the same worlds, whichever task is behind it", () => {
    const [task, other] = split("train") as readonly [Task, Task];
    const { observation } = environment.reset(task);
    const of = (behind: Task) => text(environment.worlds(config, behind, observation, [], createRng(1), 20));
    expect(of(task)).toBe(of(other));
    const { worlds } = environment.worlds(config, task, observation, [], createRng(1), 20);
    expect(worlds.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
    for (const world of worlds) expect(text(environment.reset(world.task).observation)).toBe(text(observation));
  });
});
