import { describe, expect, test } from "vitest";
import { hashText } from "#core/json.ts";
import { exp } from "#core/math.ts";
import { createRng } from "#core/rng.ts";
import { boardText, DIRECTIONS, isSolved, type Level } from "#environments/sokoban/board.ts";
import { DEFAULTS } from "#environments/sokoban/config.ts";
import { createSokoban } from "#environments/sokoban/index.ts";
import { boardObservation } from "#environments/sokoban/observation.ts";
import { move } from "#environments/sokoban/rules.ts";
import { createLatestObservation } from "#harness/latest-observation.ts";
import { measureTruth } from "#trainer/truth.ts";
import { TablePolicy } from "../fixtures/table-policy.ts";
import { playGroups, truthOptions, WORDING } from "./truth-support.ts";

const environment = createSokoban();
const harness = createLatestObservation(environment.tools, environment.words, { observations: 1, grid: "cells" });
const TURNS = 8;
const arena = {
  environment, harness, budget: { turns: TURNS, tokens: 32, retries: 3 }, constrained: true,
  worlds: (task: Parameters<typeof environment.worlds>[1], first: Parameters<typeof environment.worlds>[2], seen: Parameters<typeof environment.worlds>[3], rng: Parameters<typeof environment.worlds>[4], limit: number) =>
    environment.worlds(DEFAULTS, task, first, seen, rng, limit),
};

/** A taste of its own for every board. */
const logit = (context: ArrayLike<number>, token: number): number => (hashText(`${Array.from(context).join(" ")} ${token}`) / 4294967296) * 3;

const contextOf = (level: Level) => harness.context(boardObservation(level), [], WORDING).tokens;
const moveTokens = DIRECTIONS.map((direction) => harness.vocabulary.id(direction));

/** Probability of success by dynamic programming over boards and turns left: no tree, no beliefs. */
function valueBy(known: Map<string, number>, level: Level, left: number): number {
  if (isSolved(level)) return 1;
  if (left === 0) return 0;
  const key = `${left} ${boardText(level)}`;
  let value = known.get(key);
  if (value === undefined) {
    const masses = moveTokens.map((token) => exp(logit(contextOf(level), token)));
    const total = masses.reduce((sum, mass) => sum + mass, 0);
    value = DIRECTIONS.reduce((sum, direction, index) => sum + ((masses[index] ?? 0) / total) * valueBy(known, move(level, direction).level, left - 1), 0);
    known.set(key, value);
  }
  return value;
}

describe("truth where every turn is a sequence of its own and all is seen", () => {
  test("values are those of dynamic programming, exact, and what luck there is is none", async () => {
    const policy = new TablePolicy(harness.automaton, logit);
    const tasks = environment.tasks(DEFAULTS, "train", 3, createRng(2));
    const groups = await playGroups(arena, policy, tasks, 4, createRng(3));
    const measured = await measureTruth(arena, policy, groups, truthOptions(1, { maxMass: 1e-6 }));
    let turnsSeen = 0;
    for (const [index, { task, members }] of groups.entries()) {
      const known = new Map<string, number>();
      for (const [at, { trajectory }] of members.entries()) {
        const truth = measured[index]![at]!;
        let { level } = task;
        for (const [turn, label] of truth.labels.entries()) {
          turnsSeen += 1;
          expect(label.kind).toBe("exact");
          expect(label.worlds).toBe(1);
          expect(label.value).toBeCloseTo(valueBy(known, level, TURNS - turn), 4);
          const action = trajectory.turns[turn]!.action;
          level = action.kind === "tool" ? move(level, DIRECTIONS.find((direction) => direction === action.name)!).level : level;
          expect(label.actionValue).toBeCloseTo(valueBy(known, level, TURNS - turn - 1), 4);
          expect(Math.abs(truth.turns.luck[turn] ?? 1)).toBeLessThan(1e-4);
        }
      }
    }
    expect(turnsSeen).toBeGreaterThan(40);
  });

  test("equal boards are asked about once, whatever led to them", async () => {
    const policy = new TablePolicy(harness.automaton, logit);
    const [task] = environment.tasks(DEFAULTS, "train", 1, createRng(2));
    const groups = await playGroups(arena, policy, [task!], 4, createRng(3));
    policy.asked = 0;
    await measureTruth(arena, policy, groups, truthOptions(1, { maxMass: 1e-6 }));
    // A room of 4 × 4 has at most 16 · 15 boards; without merging, 8 turns would make 4^8 contexts.
    expect(policy.asked).toBeLessThanOrEqual(240);
  });
});
